/* SPDX-License-Identifier: MIT */
#ifndef LIB_EFI_EFI_FILE_PATH_H
#define LIB_EFI_EFI_FILE_PATH_H

#include <stddef.h>

#include "lib/efi/efi.h"

/* The device path of a file on a volume (LoadImage()'s): "\dir\x.efi" or "dir/x.efi"; volume NULL:
 * of its name alone. For FreePool(); NULL: the volume has no device path, or there is no memory.
 * Boot services only. Thread. */
EFI_DEVICE_PATH *efi_file_path(EFI_HANDLE volume, const char *name);

/* Bytes of a device path, its end included. Pure. */
size_t efi_file_path_size(const EFI_DEVICE_PATH *path);

/* The names in it, one after the other, as text: "\dir\x.efi". Its length; 0: there are none, it
 * has other characters than ASCII's, or is longer than capacity - 1. Pure. */
size_t efi_file_path_text(const EFI_DEVICE_PATH *path, char *text, size_t capacity);

#endif
