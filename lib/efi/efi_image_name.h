/* SPDX-License-Identifier: MIT */
#ifndef LIB_EFI_EFI_IMAGE_NAME_H
#define LIB_EFI_EFI_IMAGE_NAME_H

#include <stddef.h>

#include "lib/efi/efi.h"
#include "lib/efi/efi_images.h"

/*
 * Set a loaded image's name, which is never empty, its identity, and whether its code keeps frame
 * records. The name is the path in the image's debug directory; else the module's name from the
 * firmware volume's user interface section ("NvmExpressDxe.efi"); else its file's name or GUID;
 * else its address. place->base and size must be set. TPL_CALLBACK at most. Thread.
 */
void efi_image_describe(struct efi_image_place *place, const EFI_LOADED_IMAGE *image);

/* Only the last part of that name, as a string of at most size bytes (size is at least 2).
 * TPL_CALLBACK at most. Thread. */
void efi_image_name(const EFI_LOADED_IMAGE *image, char *name, size_t size);

#endif
