/* SPDX-License-Identifier: MIT */
/*
 * An EFI_SHELL_PROTOCOL of our own, where no shell runs (a boot entry, QEMU's -kernel):
 * environment, current directory, files and their names. It starts no commands, and knows no
 * aliases, no help, no names of devices or GUIDs: EFI_UNSUPPORTED, or none. UEFI Shell
 * Specification 2.2, 2.2. Boot services only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_OWN_H
#define AGENT_SHELL_SHELL_OWN_H

#include <efi.h>
#include <efishell.h>

#include "lib/efi/efi.h"

/* The running shell, or ours, which begins in the root of this volume (NULL: there is none). NULL:
 * no memory. */
const EFI_SHELL_PROTOCOL *shell_own_begin(EFI_HANDLE volume);

/* Ours is gone, if it was there. */
void shell_own_end(void);

#endif
