/* SPDX-License-Identifier: MIT */
/* The devices of the firmware's consoles: its variables ConIn, ConOut and ErrOut (UEFI
 * 2.10, 3.3), by which it connects them. Boot services only. Thread. */
#ifndef LIB_EFI_EFI_CONSOLES_H
#define LIB_EFI_EFI_CONSOLES_H

#include <stdbool.h>

#include "lib/efi/efi.h"

/* Whether one of them is on the device of this handle, or on what hangs on it; true as well where
 * it is not to be known: the handle has no device path, or a variable is not told. */
bool efi_is_console(EFI_HANDLE handle);

#endif
