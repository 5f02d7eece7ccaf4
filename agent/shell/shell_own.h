/* SPDX-License-Identifier: MIT */
/*
 * An EFI_SHELL_PROTOCOL of our own, for machines on which no shell runs (a boot entry, QEMU's
 * -kernel). It offers the environment, the current directory, files and their names. It starts no
 * commands, and has no aliases, no help, and no names of devices or GUIDs: EFI_UNSUPPORTED, or an
 * empty result. UEFI Shell Specification 2.2, 2.2. Boot services only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_OWN_H
#define AGENT_SHELL_SHELL_OWN_H

#include <efi.h>
#include <efishell.h>

#include "lib/efi/efi.h"

/* Returns the running shell's protocol; if no shell runs, our own, whose current directory is this
 * volume's root (NULL: no volume). Returns NULL without memory. */
const EFI_SHELL_PROTOCOL *shell_own_begin(EFI_HANDLE volume);

/* Remove our own protocol, if it was installed. */
void shell_own_end(void);

#endif
