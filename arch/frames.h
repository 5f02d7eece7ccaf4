/* SPDX-License-Identifier: MIT */
/*
 * A stack's frame records (System V AMD64 ABI 3.4.1; AAPCS64 6.4.6), one after the other: each is
 * read only where it lies whole and aligned inside the stack and above the one before, so any value
 * in the frame pointer is safe.
 */
#ifndef ARCH_FRAMES_H
#define ARCH_FRAMES_H

#include "arch/arch.h"

/* Inlined before anything else, or struct arch_frames lies in memory. */
#define ARCH_FRAMES_FAST static inline __attribute__((always_inline))

struct arch_frames {
	uint64_t frame; /* the next record */
	uint64_t low;   /* where it may begin at the lowest */
	uint64_t last;  /* and at the highest; below low: none fits */
};

/* From the record at frame on, on a stack of which [low, high) is looked at. Any values. Any
 * context. */
ARCH_FRAMES_FAST struct arch_frames arch_frames(uint64_t frame, uint64_t low, uint64_t high)
{
	bool fits = high > low && high - low >= sizeof(struct arch_frame);

	return (struct arch_frames){
		.frame = frame,
		.low = fits ? low : 1,
		.last = fits ? high - sizeof(struct arch_frame) : 0,
	};
}

/* The next record's return address; 0: it is the stack's outermost, or none that is followed. Any
 * context. */
ARCH_FRAMES_FAST uint64_t arch_frames_next(struct arch_frames *frames)
{
	/* Read once each; gcc computes an atomic's address by itself. */
	const volatile struct arch_frame *record =
	    (const volatile struct arch_frame *)(uintptr_t)frames->frame;
	uint64_t ret;

	if (frames->frame < frames->low || frames->frame > frames->last ||
	    frames->frame % sizeof(uint64_t) != 0)
		return 0;
	ret = record->ret;
	frames->low = frames->frame + sizeof(*record);
	frames->frame = record->next;
	return ret;
}

#endif
