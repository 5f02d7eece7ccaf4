/* SPDX-License-Identifier: MIT */
/* Which images' callers a recording tells, by their frame pointers: in its ring's handlers (pmu/
 * callchain_images.h), and to whoever reads the console. */
#ifndef AGENT_UEFI_IMAGE_FRAMES_H
#define AGENT_UEFI_IMAGE_FRAMES_H

#include "lib/efi/efi_images.h"
#include "lib/print.h"

/* None are known; they are not asked for any more. Thread, as below. */
void image_frames_begin(void);
void image_frames_end(void);

/* One has come, or has gone. */
void image_frames_add(const struct efi_image_place *image);
void image_frames_remove(const struct efi_image_place *image);

/* Say on the console, in a line, how many of those that came keep frame pointers, and how many do
 * not. Our own is not among them. After image_frames_end(), too. */
void image_frames_tell(void);

/* The same, and which, of each by its name, once, to put, if it was told: for the text beside the
 * recording. */
void image_frames_tell_again(print_put_fn put, void *context);

#endif
