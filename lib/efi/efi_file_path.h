/* SPDX-License-Identifier: MIT */
#ifndef LIB_EFI_EFI_FILE_PATH_H
#define LIB_EFI_EFI_FILE_PATH_H

#include <stddef.h>

#include "lib/efi/efi.h"

/* Make the device path of a file on a volume, for LoadImage(): "\dir\x.efi" or "dir/x.efi"; volume
 * NULL: only of the name. The caller frees it with FreePool(). NULL: the volume has no device path,
 * or there is no memory. Boot services only. Thread. */
EFI_DEVICE_PATH *efi_file_path(EFI_HANDLE volume, const char *name);

/* Bytes of a device path, its end node included. Pure. */
size_t efi_file_path_size(const EFI_DEVICE_PATH *path);

/* Write the path's file names as one text: "\dir\x.efi". Returns its length; 0: it has no names, or
 * characters other than ASCII, or is longer than capacity - 1. Pure. */
size_t efi_file_path_text(const EFI_DEVICE_PATH *path, char *text, size_t capacity);

#endif
