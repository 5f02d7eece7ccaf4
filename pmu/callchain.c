/* SPDX-License-Identifier: MIT */
#include "pmu/callchain.h"

#include "arch/frames.h"
#include "arch/hosted.h"
#include "pmu/callchain_images.h"

const struct callchain_call *callchain_call;

/* Write at most up to end. */
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

/* ---- Hosted mode: not all code keeps frame records ---- */

static bool callchain_keeps_frames(const struct callchain_image *image)
{
	if (!image || image->frames == CALLCHAIN_FRAMES_UNKNOWN)
		return arch_hosted_assumes_frames();
	return image->frames == CALLCHAIN_FRAMES_KEPT;
}

/* Follow the records of code that keeps them, up to and including the first caller that does
 * not. */
static uint64_t *callchain_follow_kept(uint64_t *at, const uint64_t *end, struct arch_frames frames)
{
	while (at < end) {
		uint64_t ret = arch_frames_next(&frames);
		const struct callchain_image *image = ret ? callchain_image_at(ret - 1) : NULL;

		if (!ret || (image ? !arch_hosted_is_return(ret, image->start)
		                   : !arch_hosted_assumes_frames()))
			break;
		*at++ = ret;
		if (!callchain_keeps_frames(image))
			break;
	}
	return at;
}

/* The stack cannot be followed: write the called function and its caller, which callchain_call
 * has. */
static uint64_t *callchain_known(uint64_t *at, const uint64_t *end, uint64_t sp, uint64_t high)
{
	const struct callchain_call *call = __atomic_load_n(&callchain_call, __ATOMIC_RELAXED);
	struct arch_frames frames;

	if (!call || (uint64_t)call <= sp || end - at < 2)
		return at;
	*at++ = call->pc;
	*at++ = call->caller;
	frames = arch_frames(call->frame, sp, high);
	if (arch_frames_next(&frames) != call->caller ||
	    !callchain_keeps_frames(callchain_image_at(call->caller - 1)))
		return at;
	return callchain_follow_kept(at, end, frames);
}

/* high 0: the stack's bounds are not known. Out of line, because inlined it would make the usual
 * way save its registers. */
static __attribute__((noinline)) uint64_t *callchain_by_image(const struct callchain_place *place,
                                                              uint64_t *at, const uint64_t *end,
                                                              uint64_t high)
{
	const struct callchain_image *image = callchain_image_at(place->pc);
	uint64_t leaf_return = 0;

	if (!high || !callchain_keeps_frames(image))
		return callchain_known(at, end, place->sp, high);
	if (image && place->regs)
		leaf_return = arch_hosted_leaf_return(place->regs, image->start, image->end, high);
	if (leaf_return && at < end)
		*at++ = leaf_return;
	else if (image && !arch_hosted_has_frame(place->pc, image->start, image->end))
		return at;
	return callchain_follow_kept(at, end, arch_frames(place->fp, place->sp, high));
}

static uint64_t *callchain_gather(const struct callchain_place *place, uint64_t *at,
                                  unsigned max_frames, uint64_t high)
{
	const uint64_t *end = at + 1 + max_frames;

	*at++ = PERF_CONTEXT_USER;
	*at++ = place->pc;
	if (RING_RARE(!high || callchain_images_are_known()))
		return callchain_by_image(place, at, end, high);
	return callchain_follow(at, end, arch_frames(place->fp, place->sp, high));
}

unsigned callchain_collect_at(const struct callchain_place *place, uint64_t *ips,
                              unsigned max_frames)
{
	uint64_t start, high;

	if (!arch_stack_bounds(place->sp, &start, &high))
		start = high = 0;
	return (unsigned)(callchain_gather(place, ips, max_frames, high) - ips);
}

unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames)
{
	struct callchain_place place = callchain_place_of(regs);

	return callchain_collect_at(&place, ips, max_frames);
}

/* The unrolled code ends below the stack's end if the first record begins at least this far
 * below. */
#define MARGIN (CALLCHAIN_STRAIGHT * sizeof(struct arch_frame))

static bool callchain_may_go_straight(const struct callchain *chain, uint64_t start, uint64_t high)
{
	return start % sizeof(uint64_t) == 0 && high - start > MARGIN &&
	       !callchain_images_are_known() && chain->max_frames > CALLCHAIN_STRAIGHT;
}

uint64_t callchain_put_slowly(struct callchain *chain, const struct arch_regs *regs, uint64_t *ips)
{
	struct callchain_place place = callchain_place_of(regs);
	uint64_t start, high;

	if (!arch_stack_bounds(place.sp, &start, &high))
		start = high = 0;
	chain->low = start;
	chain->high = high;
	chain->straight =
	    callchain_may_go_straight(chain, start, high) ? (high - start - MARGIN) / 8 : 0;
	return (uint64_t)(callchain_gather(&place, ips, chain->max_frames, high) - ips);
}

uint64_t callchain_go_on(uint64_t *at, uint64_t n, uint64_t most, uint64_t frame, uint64_t low,
                         uint64_t high)
{
	return n + (uint64_t)(callchain_follow(at, at + (most - n), arch_frames(frame, low, high)) -
	                      at);
}
