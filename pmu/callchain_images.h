/* SPDX-License-Identifier: MIT */
/*
 * The images whose code keeps frame records, for hosted mode, where the sampled code comes from
 * many compilers. A callchain starts in such an image and ends with the first caller in another
 * one. Written in thread context of the one CPU that is sampled; its handlers read.
 */
#ifndef PMU_CALLCHAIN_IMAGES_H
#define PMU_CALLCHAIN_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#define CALLCHAIN_IMAGES_MAX 1024U

enum callchain_frames { CALLCHAIN_FRAMES_UNKNOWN, CALLCHAIN_FRAMES_NONE, CALLCHAIN_FRAMES_KEPT };

struct callchain_image {
	uint64_t start, end;
	enum callchain_frames frames;
};

/* Between begin and end only the code of the added images is assumed to keep frame records; the
 * list starts empty. Outside of that span all code is. Thread. */
void callchain_images_begin(void);
void callchain_images_end(void);

/* Note a loaded image, or the unload of the one at that address. Images beyond CALLCHAIN_IMAGES_MAX
 * are ignored. Thread. */
void callchain_images_add(const struct callchain_image *image);
void callchain_images_remove(uint64_t start);

extern bool callchain_images_have_begun; /* callchain_images.c */

/* Whether callchain_images_begin() was called and callchain_images_end() not yet. Any context. */
static inline bool callchain_images_are_known(void)
{
	return __atomic_load_n(&callchain_images_have_begun, __ATOMIC_RELAXED);
}

/* The image that pc lies in, or NULL. Any context. */
const struct callchain_image *callchain_image_at(uint64_t pc);

#endif
