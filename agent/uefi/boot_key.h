/* SPDX-License-Identifier: MIT */
/*
 * Ctrl-R on the firmware's console, by keyboard or serial terminal. Firmware, its shell and its
 * boot menu give it no meaning; whoever reads keys gets it as well.
 */
#ifndef AGENT_UEFI_BOOT_KEY_H
#define AGENT_UEFI_BOOT_KEY_H

#include "lib/efi/efi.h"

/* Have event signalled by each Ctrl-R from now on: of the console's input
 * (EFI_SYSTEM_TABLE.ConsoleInHandle), which EDK2 has from the start, with all devices that join it
 * later; where it is of the old kind, without key notifications (UEFI 2.10, 12.3), of each device
 * that is of the new one, or comes. 0 or -ENOMEM. Boot services only, as below. Thread. */
int boot_key_begin(EFI_EVENT event);

/* No more. No effect if nothing was begun. TPL_CALLBACK or below. */
void boot_key_end(void);

#endif
