/* SPDX-License-Identifier: MIT */
/*
 * Watches the images that are loaded while the firmware runs: those that exist at the start, those
 * that are loaded later (EFI_LOADED_IMAGE_PROTOCOL; UEFI 2.10, 9.1), and those that are unloaded,
 * whose memory is reused. Boot services only. Thread; the callbacks run at TPL_CALLBACK.
 */
#ifndef LIB_EFI_EFI_IMAGES_H
#define LIB_EFI_EFI_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/parse/pe_frames.h"

#define EFI_IMAGE_NAME_MAX 256U

struct efi_image_place {
	uint64_t base, size;
	char name[EFI_IMAGE_NAME_MAX]; /* printable ASCII; efi_image_describe()'s */
	uint8_t build_id[20];          /* pe_build_id()'s */
	bool has_build_id;
	enum pe_frames frames;
};

struct efi_images_watcher {
	/* An image was found or loaded (there), or was unloaded (not there). */
	void (*report)(void *context, const struct efi_image_place *image, bool there);
	/* StartImage() is about to start an image; name is its name without the path, or "image" if
	 * returns is NULL. The result is passed to left(). The last call before the firmware's
	 * StartImage(). Thread. */
	const void *(*starts)(void *context, const char *name);
	/* The image of starts() has returned, or ended by Exit(), at any depth of its calls, which
	 * then do not return. The first call after the firmware's StartImage(). Neither this nor
	 * returns() is called if watching has ended meanwhile. Thread. */
	void (*left)(void *context, const void *started);
	/* The same, with the image's name, after the images that it has loaded are known. NULL: not
	 * wanted. */
	void (*returns)(void *context, const char *name);
	/* A look at all images begins or ends; it may interrupt any code. NULL: not wanted.
	 * TPL_CALLBACK. */
	void (*looks)(void *context, bool begins);
	/* ExitBootServices() was called for the first time, and all boot services still work: files
	 * may be written, and efi_images_unwatch() may be called. Return true if the memory map has
	 * changed; then the caller of ExitBootServices() is told to call it again with a new map
	 * (UEFI 2.10, 7.4.6). At TPL_CALLBACK or below. */
	bool (*leaves)(void *context);
	/* ExitBootServices() has begun: no firmware function may be called any more. TPL_NOTIFY. */
	void (*ends)(void *context);
	void *context;
};

/* Report all existing images, and from then on all changes. watcher is kept by reference. Returns
 * 0; -ENOMEM: nothing is watched. */
int efi_images_watch(const struct efi_images_watcher *watcher);

/* Stop watching: boot services are restored, except for hooks that lie under other programs' hooks
 * (lib/efi/efi_hook.h). Returns the number of images beyond EFI_IMAGES_MAX, which were not
 * reported. */
#define EFI_IMAGES_MAX 1024U
unsigned efi_images_unwatch(void);

#endif
