/* SPDX-License-Identifier: MIT */
/*
 * A hook is a function of ours that replaces a service of the firmware and calls the former one.
 * Removing it restores the former pointer, unless another program has hooked the service since:
 * that hook still calls ours.
 */
#ifndef LIB_EFI_EFI_HOOK_H
#define LIB_EFI_EFI_HOOK_H

#include <stdbool.h>

/* Whether our hook stays in place when another program's hook lies above it. In a driver, whose
 * code stays in memory, it stays and only passes calls on. An application's code is freed, so the
 * former pointer is restored; that disables the other hook, which the console reports. Boot
 * services only. Thread. */
bool efi_hook_stays(const char *service);

#endif
