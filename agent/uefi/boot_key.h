/* SPDX-License-Identifier: MIT */
/*
 * Reports Ctrl-R on the firmware's console, from a keyboard or a serial terminal. The firmware, its
 * shell and its boot menu give the key no meaning. A program that reads keys gets it as well.
 */
#ifndef AGENT_UEFI_BOOT_KEY_H
#define AGENT_UEFI_BOOT_KEY_H

#include "lib/efi/efi.h"

/* From now on each Ctrl-R signals event. It listens to the console's input
 * (EFI_SYSTEM_TABLE.ConsoleInHandle), which EDK2 has from the start and to which it adds later
 * devices. If that input has no key notifications (UEFI 2.10, 12.3), it listens to each device that
 * has them, also to devices that come later. Returns 0 or -ENOMEM. Boot services only. Thread. */
int boot_key_begin(EFI_EVENT event);

/* Stop listening. No effect if boot_key_begin() was not called. Boot services only. TPL_CALLBACK or
 * below. */
void boot_key_end(void);

#endif
