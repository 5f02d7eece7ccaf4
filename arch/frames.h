/* SPDX-License-Identifier: MIT */
/*
 * The frame records of a stack (System V AMD64 ABI 3.4.1; AAPCS64 6.4.6), one after the other. A
 * record is read only if it lies whole and aligned inside the stack and above the previous one, so
 * any value in the frame pointer is safe.
 */
#ifndef ARCH_FRAMES_H
#define ARCH_FRAMES_H

#include "arch/arch.h"

/* Inlined first of all, so that struct arch_frames stays in registers. */
#define ARCH_FRAMES_FAST static inline __attribute__((always_inline))

struct arch_frames {
	uint64_t frame; /* the next record */
	uint64_t low;   /* the lowest address where it may begin */
	uint64_t last;  /* the highest possible record; below low: none fits */
};

/* Begin with the record at frame, on the stack [low, high). All values are allowed. Any context. */
ARCH_FRAMES_FAST struct arch_frames arch_frames(uint64_t frame, uint64_t low, uint64_t high)
{
	bool fits = high > low && high - low >= sizeof(struct arch_frame);

	return (struct arch_frames){
		.frame = frame,
		.low = fits ? low : 1,
		.last = fits ? high - sizeof(struct arch_frame) : 0,
	};
}

/* The next record's return address; 0: the record was the outermost one, or is not valid. Any
 * context. */
ARCH_FRAMES_FAST uint64_t arch_frames_next(struct arch_frames *frames)
{
	/* Volatile: each word is read once. For an atomic gcc would compute the address
	 * separately. */
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
