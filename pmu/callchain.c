/* SPDX-License-Identifier: MIT */
#include "pmu/callchain.h"

#include "arch/frames.h"

const struct callchain_call *callchain_call;

/* To end at most. */
RING_FAST uint64_t *callchain_follow(uint64_t *at, const uint64_t *end, struct arch_frames frames)
{
	while (at < end) {
		uint64_t ret = arch_frames_next(&frames);

		if (!ret)
			break;
		*at++ = ret;
	}
	return at;
}

/* Where the stack is not followed: who is known all the same. */
static uint64_t *callchain_known(uint64_t *at, const uint64_t *end, uint64_t sp)
{
	const struct callchain_call *call = __atomic_load_n(&callchain_call, __ATOMIC_RELAXED);

	if (call && (uint64_t)call > sp && end - at >= 2) {
		*at++ = call->pc;
		*at++ = call->caller;
	}
	return at;
}

static uint64_t *callchain_gather(const struct arch_regs *regs, uint64_t *at, unsigned max_frames,
                                  uint64_t high)
{
	const uint64_t *end = at + 1 + max_frames;

	*at++ = PERF_CONTEXT_USER;
	*at++ = arch_regs_pc(regs);
	if (!high)
		return callchain_known(at, end, arch_regs_sp(regs));
	return callchain_follow(at, end, arch_frames(arch_regs_fp(regs), arch_regs_sp(regs), high));
}

unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames)
{
	uint64_t start, high;

	if (!arch_stack_bounds(arch_regs_sp(regs), &start, &high))
		start = high = 0;
	return (unsigned)(callchain_gather(regs, ips, max_frames, high) - ips);
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
	return (uint64_t)(callchain_gather(regs, ips, chain->max_frames, high) - ips);
}

uint64_t callchain_go_on(uint64_t *at, uint64_t n, uint64_t most, uint64_t frame, uint64_t low,
                         uint64_t high)
{
	return n + (uint64_t)(callchain_follow(at, at + (most - n), arch_frames(frame, low, high)) -
	                      at);
}
