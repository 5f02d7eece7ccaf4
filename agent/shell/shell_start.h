/* SPDX-License-Identifier: MIT */
/*
 * An application is started as UEFI's shell starts one: its handle has
 * EFI_SHELL_PARAMETERS_PROTOCOL with its arguments and its streams, and there is an
 * EFI_SHELL_PROTOCOL, the running shell's or our own (agent/shell/shell_own.h). C libraries for
 * UEFI call no main() without these (UEFI Shell Specification 2.2, 2.1.3 and 4.2). Boot services
 * only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_START_H
#define AGENT_SHELL_SHELL_START_H

#include "lib/efi/efi.h"

/* Where the running shell finds the file of this name, from its current directory; for FreePool().
 * NULL: no shell runs, or it finds none. */
EFI_DEVICE_PATH *shell_start_find(const char *name);

/* Before StartImage(): image was loaded from path (NULL: from memory), argv[0] is its name as it
 * was typed. A driver gets nothing, as from the shell. EFI_OUT_OF_RESOURCES: it cannot be started
 * so. One at a time. */
EFI_STATUS shell_start_begin(EFI_HANDLE image, const EFI_DEVICE_PATH *path, int argc, char **argv);

/* It has returned, and its handle may be gone, or was not started. */
void shell_start_end(void);

#endif
