/* SPDX-License-Identifier: MIT */
#include "pmu/callchain.h"

/* From frame on, at or above low, whose record ends at high at the latest; to end at most. */
static uint64_t *follow(uint64_t *at, const uint64_t *end, uint64_t frame, uint64_t low,
                        uint64_t high)
{
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
	return at;
}

static uint64_t *collect(const struct arch_regs *regs, uint64_t *at, unsigned max_frames,
                         uint64_t start, uint64_t high)
{
	const uint64_t *end = at + 1 + max_frames;

	*at++ = PERF_CONTEXT_USER;
	*at++ = arch_regs_pc(regs);
	if (high - start < sizeof(struct arch_frame))
		return at;
	return follow(at, end, arch_regs_fp(regs), arch_regs_sp(regs), high);
}

unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames)
{
	uint64_t start, high;

	if (!arch_stack_bounds(arch_regs_sp(regs), &start, &high))
		start = high = 0;
	return (unsigned)(collect(regs, ips, max_frames, start, high) - ips);
}

/* The last record that is followed straight ends below the stack's end, if the first one begins so
 * far below it. */
#define MARGIN (CALLCHAIN_STRAIGHT * sizeof(struct arch_frame))

static bool may_go_straight(const struct callchain *chain, uint64_t start, uint64_t high)
{
	return start % sizeof(uint64_t) == 0 && high - start > MARGIN &&
	       chain->max_frames > CALLCHAIN_STRAIGHT;
}

uint64_t callchain_put_slowly(struct callchain *chain, const struct arch_regs *regs, uint64_t *ips)
{
	uint64_t start, high;

	if (!arch_stack_bounds(arch_regs_sp(regs), &start, &high))
		start = high = 0;
	chain->low = start;
	chain->high = high;
	chain->straight = may_go_straight(chain, start, high) ? (high - start - MARGIN) / 8 : 0;
	return (uint64_t)(collect(regs, ips, chain->max_frames, start, high) - ips);
}

uint64_t callchain_go_on(uint64_t *at, uint64_t n, uint64_t most, uint64_t frame, uint64_t low,
                         uint64_t high)
{
	return n + (uint64_t)(follow(at, at + (most - n), frame, low, high) - at);
}
