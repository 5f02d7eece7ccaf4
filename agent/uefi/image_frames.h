/* SPDX-License-Identifier: MIT */
/* Which images keep frame pointers, so that a callchain has their callers. It registers the images
 * for the sampling handlers (pmu/callchain_images.h), and reports them to the user. */
#ifndef AGENT_UEFI_IMAGE_FRAMES_H
#define AGENT_UEFI_IMAGE_FRAMES_H

#include "lib/efi/efi_images.h"
#include "lib/print.h"

/* begin: no image is known. end: the sampling handlers no longer use the images. Thread. */
void image_frames_begin(void);
void image_frames_end(void);

/* Add an image that was loaded; remove one that was unloaded. Thread. */
void image_frames_add(const struct efi_image_place *image);
void image_frames_remove(const struct efi_image_place *image);

/* Print how many images keep frame pointers and how many do not; bareperf's own image is not
 * counted. Also valid after image_frames_end(). Thread. */
void image_frames_report(void);

/* Write the counts and the images' names with put, once, if image_frames_report() was called: for
 * the text beside the recording. Thread. */
void image_frames_write(print_put_fn put, void *context);

#endif
