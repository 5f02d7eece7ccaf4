/* SPDX-License-Identifier: MIT */
/*
 * The interrupted code's callchain, newest first, in perf's format: PERF_CONTEXT_USER, the
 * interrupted pc, then return addresses.
 *
 * A frame record (System V AMD64 ABI 3.4.1; AAPCS64 6.4.6) is followed only if it lies whole and
 * aligned inside the interrupted stack and above the previous one. So any value in the frame
 * pointer is safe: only the program's stack is read. A return address of 0 ends the chain. In
 * hosted mode not all code keeps frame records (pmu/callchain_images.h).
 */
#ifndef PMU_CALLCHAIN_H
#define PMU_CALLCHAIN_H

#include "abi/perf_event.h"
#include "arch/arch.h"
#include "ringbuf/bytes.h"
#include "ringbuf/ring.h"

#define CALLCHAIN_MAX 127U /* frames, perf's default sample_max_stack */

/* A call into code that keeps no frame records, noted by a stub of ours, because its callers could
 * not be found otherwise. */
struct callchain_call {
	uint64_t pc;     /* an address in the called code */
	uint64_t caller; /* where it returns to */
	uint64_t frame;  /* the caller's frame record; 0: none */
	const struct callchain_call *before;
};

/* The latest such call of the boot CPU; NULL: none. An entry below the interrupted stack is stale:
 * its call was left without a return. */
extern const struct callchain_call *callchain_call;

/* Write the callchain to ips: at most 1 + max_frames entries (max_frames from 1 to CALLCHAIN_MAX).
 * Returns the number of entries. Any context. */
unsigned callchain_collect(const struct arch_regs *regs, uint64_t *ips, unsigned max_frames);

/* The code whose callers are wanted. */
struct callchain_place {
	uint64_t pc, fp, sp;
	const struct arch_regs *regs; /* NULL: no handler interrupted it */
};

static inline struct callchain_place callchain_place_of(const struct arch_regs *regs)
{
	return (struct callchain_place){ arch_regs_pc(regs), arch_regs_fp(regs), arch_regs_sp(regs),
		                         regs };
}

/* callchain_collect() for any code, whose stack has not changed since. In hosted mode a chain
 * without regs lacks the caller of a function that keeps no frame. Any context. */
unsigned callchain_collect_at(const struct callchain_place *place, uint64_t *ips,
                              unsigned max_frames);

/* The number of frames that are followed by unrolled code, if the stack has room for them above. */
#define CALLCHAIN_STRAIGHT 8U

/* The state of code that writes many callchains: the stack that it found last. */
struct callchain {
	uint64_t low, high;
	uint64_t straight; /* words from low on in which frames may be followed unrolled; 0: none */
	unsigned max_frames;
};

/* callchain_collect() for a caller that keeps chain. Any context. */
uint64_t callchain_put_slowly(struct callchain *chain, const struct arch_regs *regs, uint64_t *ips);

/* Continue a chain that has n entries at `at`, up to most entries, with the frame record at frame.
 * The stack is [low, high). Returns the new number of entries. Any context. */
uint64_t callchain_go_on(uint64_t *at, uint64_t n, uint64_t most, uint64_t frame, uint64_t low,
                         uint64_t high);

/* The distance from below + above to frame, in words; huge if it is negative or no whole number of
 * words. */
static inline uint64_t callchain_step(uint64_t below, uint64_t frame, uint64_t above)
{
	uint64_t step = frame - above;

	RING_OPAQUE(step); /* one instruction on x86, which the compiler would make two */
	step -= below;
	return step >> 3 | step << 61;
}

/*
 * The same in unrolled code. room is how far above low the last good record may begin. The margin
 * below the stack's end is so large that each followed record need not be checked against it alone:
 * a step that is too long, backward or unaligned is longer than room. Records beyond room are
 * checked one by one.
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
