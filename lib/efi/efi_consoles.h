/* SPDX-License-Identifier: MIT */
/* The devices of the firmware's consoles, from its variables ConIn, ConOut and ErrOut (UEFI 2.10,
 * 3.3), by which it connects them. Boot services only. Thread. */
#ifndef LIB_EFI_EFI_CONSOLES_H
#define LIB_EFI_EFI_CONSOLES_H

#include <stdbool.h>

#include "lib/efi/efi.h"

/* Whether one of them is this handle's device or lies behind it. Also true if that cannot be
 * decided: the handle has no device path, or a variable cannot be read. */
bool efi_is_console(EFI_HANDLE handle);

#endif
