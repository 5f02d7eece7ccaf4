/* SPDX-License-Identifier: MIT */
#ifndef LIB_EFI_EFI_IMAGE_SET_H
#define LIB_EFI_EFI_IMAGE_SET_H

#include "lib/efi/efi.h"
#include "lib/efi/efi_images.h"

/*
 * The images that existed at the last look; the watcher gets each difference found at the next
 * look. Boot services only. Always at the same TPL, at most TPL_CALLBACK. Thread.
 */
void efi_image_set_begin(const struct efi_images_watcher *watcher);

/* Compare with handles, all handles that have EFI_LOADED_IMAGE_PROTOCOL now. */
void efi_image_set_compare(const EFI_HANDLE *handles, UINTN count);

/* The protocol was installed on this handle since the last look. If the handle was known, its
 * former image was unloaded unnoticed, and all its places are gone. */
void efi_image_set_renew(EFI_HANDLE handle);

/* The number of images beyond EFI_IMAGES_MAX at once, which were not reported. */
unsigned efi_image_set_unreported(void);

/* The handle's protocol; NULL: it has none, or the image is being loaded and has no place yet. */
const EFI_LOADED_IMAGE *efi_image_placed(EFI_HANDLE handle);

#endif
