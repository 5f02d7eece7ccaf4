/* SPDX-License-Identifier: MIT */
/* The firmware's console as the standard streams of a shell's application: UCS-2, one line at a
 * time (UEFI Shell Specification 2.2, 2.1.3). Boot services only. Thread. */
#ifndef AGENT_SHELL_SHELL_CONSOLE_H
#define AGENT_SHELL_SHELL_CONSOLE_H

#include "lib/efi/efi.h"

EFI_FILE *shell_console_in(void);
EFI_FILE *shell_console_out(void);
EFI_FILE *shell_console_error(void);

#endif
