/* SPDX-License-Identifier: MIT */
#include "pmu/callchain.h"

#include "ringbuf/perf_event.h"

unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames)
{
	uint64_t *at = ips, *end = ips + 1 + max_frames;
	uint64_t frame = arch_regs_fp(regs), low = arch_regs_sp(regs), high, start;

	*at++ = PERF_CONTEXT_USER;
	*at++ = arch_regs_pc(regs);
	if (!arch_stack_bounds(low, &start, &high) || high - start < sizeof(struct arch_frame))
		return 2;
	high -= sizeof(struct arch_frame); /* where the last one may begin */
	while (at < end && frame >= low && frame <= high && frame % sizeof(uint64_t) == 0) {
		const struct arch_frame *record = (const struct arch_frame *)(uintptr_t)frame;
		uint64_t ret = __atomic_load_n(&record->ret, __ATOMIC_RELAXED);

		if (!ret)
			break; /* the outermost frame of a stack */
		*at++ = ret;
		low = frame + sizeof(*record);
		frame = record->next;
	}
	return (unsigned)(at - ips);
}
