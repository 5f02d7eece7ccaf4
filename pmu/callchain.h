/* SPDX-License-Identifier: MIT */
/*
 * The interrupted code's callchain, newest first, as perf has it: PERF_CONTEXT_USER, the
 * interrupted pc, then return addresses.
 *
 * Follows frame records (System V AMD64 ABI 3.4.1; AAPCS64 6.4.6) only while each lies whole
 * and aligned inside the interrupted stack and above the one before, so any value in the
 * frame pointer is safe: nothing is read that is not our stack. A return address of 0 ends it.
 * Where the firmware goes on, not all code keeps them (pmu/callchain_images.h).
 */
#ifndef PMU_CALLCHAIN_H
#define PMU_CALLCHAIN_H

#include "abi/perf_event.h"
#include "arch/arch.h"
#include "ringbuf/bytes.h"
#include "ringbuf/ring.h"

#define CALLCHAIN_MAX 127U /* frames, perf's default sample_max_stack */

/* A call that code of ours stands in: for code that keeps no frame records, of whose callers
 * nothing else is known. */
struct callchain_call {
	uint64_t pc;     /* in that code */
	uint64_t caller; /* where it returns to */
	uint64_t frame;  /* the record that says so; 0: none */
	const struct callchain_call *before;
};

/* Of the boot CPU, the latest; NULL: none. One that lies below the interrupted stack was left by
 * another way than by its return. */
extern const struct callchain_call *callchain_call;

/* Write it to ips: at most 1 + max_frames entries (max_frames <= CALLCHAIN_MAX, at least 1);
 * returns how many. Any context. */
unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames);

/* So many frames are followed in a straight line, where the stack has room for as many above. */
#define CALLCHAIN_STRAIGHT 8U

/* The state of a writer of many callchains: the stack that it last found. */
struct callchain {
	uint64_t low, high;
	uint64_t straight; /* words of it, from low on, with room enough above; none: 0 */
	unsigned max_frames;
};

/* callchain_collect() for who keeps chain. Any context. */
uint64_t callchain_put_slowly(struct callchain *chain, const struct arch_regs *regs, uint64_t *ips);

/* Go on behind n entries, at at, up to most, with the frame record at frame, which may lie from low
 * on; returns how many there are then. Of the stack that ends at high. */
uint64_t callchain_go_on(uint64_t *at, uint64_t n, uint64_t most, uint64_t frame, uint64_t low,
                         uint64_t high);

/* How far it is from low, which is as far above below, to frame, in words; huge: it is not above
 * low, or no whole number. */
static inline uint64_t callchain_step(uint64_t below, uint64_t frame, uint64_t above)
{
	uint64_t step = frame - above;

	RING_OPAQUE(step); /* one instruction on x86, which the compiler would make two */
	step -= below;
	return step >> 3 | step << 61;
}

/*
 * The same in a straight line. room is how far above low the last good record may begin, with such
 * a margin that the followed records need not be subtracted: a step that is too long, backward or
 * uneven is longer than room. Records beyond room are checked one by one.
 */
RING_FAST uint64_t callchain_put(struct callchain *chain, const struct arch_regs *regs,
                                 uint64_t *ips)
{
	uint64_t below = arch_regs_sp(regs), frame = arch_regs_fp(regs), above = 0, room, n = 2;

	if (RING_RARE(callchain_step(chain->low, below, 0) >= chain->straight))
		return callchain_put_slowly(chain, regs, ips);
	room = chain->straight - callchain_step(chain->low, below, 0);
	ips[0] = PERF_CONTEXT_USER;
	ips[1] = arch_regs_pc(regs);
#pragma GCC unroll 8
	for (; n < 2 + CALLCHAIN_STRAIGHT; n++) {
		const struct arch_frame *record = (const struct arch_frame *)(uintptr_t)frame;
		uint64_t step = callchain_step(below, frame, above), ret;

		if (__builtin_sub_overflow(room, step, &room))
			break;
		ret = __atomic_load_n(&record->ret, __ATOMIC_RELAXED);
		if (!ret)
			return n;
		ips[n] = ret;
		below = frame;
		above = sizeof(*record);
		frame = __atomic_load_n(&record->next, __ATOMIC_RELAXED);
	}
	if (frame < below + above)
		return n;
	return callchain_go_on(ips + n, n, 1 + chain->max_frames, frame, below + above,
	                       chain->high);
}

#endif
