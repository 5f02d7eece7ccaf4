/* SPDX-License-Identifier: MIT */
/*
 * The images that are loaded while the firmware goes on: those that are there when one begins to
 * watch, those that come (EFI_LOADED_IMAGE_PROTOCOL; UEFI 2.10, 9.1), and those that go, whose
 * memory others get. Boot services only. Thread; what is told, at TPL_CALLBACK.
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
	/* One was found, or has come (there), or has gone. */
	void (*tell)(void *context, const struct efi_image_place *image, bool there);
	/* One is about to be started by StartImage(), by its name without a path, "image" where
	 * returns is NULL and nobody asks; what this returns is for left(). The last call before
	 * the firmware's StartImage(). Thread. */
	const void *(*starts)(void *context, const char *name);
	/* That one has returned, or left by Exit(), from wherever it was: what it had called does
	 * not return then. The first call behind the firmware's StartImage(). Not if one has ceased
	 * to watch meanwhile, as the next. Thread. */
	void (*left)(void *context, const void *started);
	/* The same, by its name, when what it has loaded is known. NULL: not asked for. */
	void (*returns)(void *context, const char *name);
	/* A look at all images begins, or ends, in the midst of whatever runs. NULL: not asked for.
	 * TPL_CALLBACK. */
	void (*looks)(void *context, bool begins);
	/* Somebody calls ExitBootServices(), for the first time, while there is boot services' all:
	 * files may be written, and efi_images_unwatch() called. True: so it was, and the memory
	 * map that he knows is not that of now, by which he is told to call again (UEFI 2.10,
	 * 7.4.6). At TPL_CALLBACK or below. */
	bool (*leaves)(void *context);
	/* ExitBootServices(): nothing of the firmware's may be called any more. TPL_NOTIFY. */
	void (*ends)(void *context);
	void *context;
};

/* Tell of all that are there, and from then on of the others. Kept by reference. 0; -ENOMEM:
 * nothing is watched. */
int efi_images_watch(const struct efi_images_watcher *watcher);

/* No more: boot services are as they were, but for hooks that others have put above ours
 * (lib/efi/efi_hook.h). How many images were beyond EFI_IMAGES_MAX, and not told. */
#define EFI_IMAGES_MAX 1024U
unsigned efi_images_unwatch(void);

#endif
