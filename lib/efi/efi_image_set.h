/* SPDX-License-Identifier: MIT */
#ifndef LIB_EFI_EFI_IMAGE_SET_H
#define LIB_EFI_EFI_IMAGE_SET_H

#include "lib/efi/efi.h"
#include "lib/efi/efi_images.h"

/*
 * The images that were there when they were looked for last, and the watcher who is told of what is
 * otherwise at the next look. Boot services only. At one level, at most TPL_CALLBACK. Thread.
 */
void efi_image_set_begin(const struct efi_images_watcher *watcher);

/* All handles that have EFI_LOADED_IMAGE_PROTOCOL now. */
void efi_image_set_compare(const EFI_HANDLE *handles, UINTN count);

/* The protocol was installed on this handle since the last look: it may be one that another image
 * had, which was unloaded without a word, and then nothing of that is there any more. */
void efi_image_set_renew(EFI_HANDLE handle);

/* How many were beyond EFI_IMAGES_MAX at once, and not told. */
unsigned efi_image_set_untold(void);

/* The handle's protocol; NULL: it has none, or one of an image that is being loaded, whose place is
 * not known yet. */
const EFI_LOADED_IMAGE *efi_image_placed(EFI_HANDLE handle);

#endif
