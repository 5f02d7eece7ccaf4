/* SPDX-License-Identifier: MIT */
#ifndef LIB_EFI_FILE_PATH_H
#define LIB_EFI_FILE_PATH_H

#include "lib/efi.h"

/* The device path of a file on a volume (LoadImage()'s): "\dir\x.efi" or "dir/x.efi"; volume NULL:
 * of its name alone. For FreePool(); NULL: the volume has no device path, or there is no memory.
 * Boot services only. Thread. */
EFI_DEVICE_PATH *efi_file_path(EFI_HANDLE volume, const char *name);

#endif
