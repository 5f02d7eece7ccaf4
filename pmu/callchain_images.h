/* SPDX-License-Identifier: MIT */
/*
 * Whose code keeps frame records, where the firmware goes on and what is sampled is of many
 * compilers: callchains are followed from there, and as far as the first caller that keeps none.
 * Written in thread context of the one CPU that is sampled, whose handlers read.
 */
#ifndef PMU_CALLCHAIN_IMAGES_H
#define PMU_CALLCHAIN_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#define CALLCHAIN_IMAGES_MAX 1024U

enum callchain_frames { CALLCHAIN_FRAMES_UNTOLD, CALLCHAIN_FRAMES_NONE, CALLCHAIN_FRAMES_KEPT };

struct callchain_image {
	uint64_t start, end;
	enum callchain_frames frames;
};

/* From begin to end only the code of images that were added is taken to keep frame records; at
 * first there are none. Outside of that all code is. Thread. */
void callchain_images_begin(void);
void callchain_images_end(void);

/* One has come, or the one that begins there has gone. What is beyond CALLCHAIN_IMAGES_MAX is as if
 * it were none. Thread. */
void callchain_images_add(const struct callchain_image *image);
void callchain_images_remove(uint64_t start);

extern bool callchain_images_have_begun; /* callchain_images.c */

/* Whether we are between begin and end. Any context. */
static inline bool callchain_images_told(void)
{
	return __atomic_load_n(&callchain_images_have_begun, __ATOMIC_RELAXED);
}

/* The image that pc lies in, or NULL. Any context. */
const struct callchain_image *callchain_image_at(uint64_t pc);

#endif
