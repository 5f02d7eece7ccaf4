/* SPDX-License-Identifier: MIT */
#ifndef LIB_EFI_EFI_IMAGE_NAME_H
#define LIB_EFI_EFI_IMAGE_NAME_H

#include <stddef.h>

#include "lib/efi/efi.h"
#include "lib/efi/efi_images.h"

/*
 * A loaded image's name, never empty, and its identity. The name is the path in its debug
 * directory, else its module's name by the firmware volume's user interface section
 * ("NvmExpressDxe.efi"), else its file's name or GUID, else where it lies; and whether its code
 * keeps frame records. place->base and size are set. At most at TPL_CALLBACK. Thread.
 */
void efi_image_describe(struct efi_image_place *place, const EFI_LOADED_IMAGE *image);

/* The last part of that name alone, as a string of size bytes (at least 2) at the most. The same.
 */
void efi_image_name(const EFI_LOADED_IMAGE *image, char *name, size_t size);

#endif
