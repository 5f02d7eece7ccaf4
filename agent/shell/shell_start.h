/* SPDX-License-Identifier: MIT */
/*
 * Starts an application as the UEFI shell does: its handle gets EFI_SHELL_PARAMETERS_PROTOCOL with
 * its arguments and streams, and there is an EFI_SHELL_PROTOCOL, the running shell's or our own
 * (agent/shell/shell_own.h). Without these, C libraries for UEFI do not call main() (UEFI Shell
 * Specification 2.2, 2.1.3 and 4.2). Boot services only. Thread.
 */
#ifndef AGENT_SHELL_SHELL_START_H
#define AGENT_SHELL_SHELL_START_H

#include "lib/efi/efi.h"

/* Returns the path at which the running shell finds this file from its current directory; free it
 * by FreePool(). NULL: no shell runs, or it does not find the file. */
EFI_DEVICE_PATH *shell_start_find(const char *name);

/* Prepare an image before StartImage(). path: where it was loaded from (NULL: from memory).
 * argv[0]: its name as it was typed. A driver gets no parameters, as from the shell. Returns
 * EFI_OUT_OF_RESOURCES without memory. One image at a time. */
EFI_STATUS shell_start_begin(EFI_HANDLE image, const EFI_DEVICE_PATH *path, int argc, char **argv);

/* Undo shell_start_begin(), after the image has returned or was not started. Its handle may no
 * longer exist. */
void shell_start_end(void);

#endif
