/* SPDX-License-Identifier: MIT */
#include "pmu/callchain.h"

#include "ringbuf/perf_event.h"

static bool frame_inside(uint64_t frame, uint64_t low, uint64_t high)
{
	return frame % sizeof(uint64_t) == 0 && frame >= low && frame < high &&
	       high - frame >= sizeof(struct arch_frame);
}

unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames)
{
	uint64_t low, high;
	uint64_t frame = arch_regs_fp(regs);
	unsigned n = 0;

	ips[n++] = PERF_CONTEXT_USER;
	ips[n++] = arch_regs_pc(regs);
	if (!arch_stack_bounds(arch_regs_sp(regs), &low, &high))
		return n;
	low = arch_regs_sp(regs);
	while (n <= max_frames && frame_inside(frame, low, high)) {
		const struct arch_frame *record = (const struct arch_frame *)(uintptr_t)frame;

		if (!record->ret)
			break; /* the outermost frame of a stack */
		ips[n++] = record->ret;
		low = frame + sizeof(*record);
		frame = record->next;
	}
	return n;
}
