/* SPDX-License-Identifier: MIT */
/* The environment of our own shell: the variables that EDK2's shell keeps with the firmware (set,
 * set -v), so that both know the same. Boot services only. Thread. */
#ifndef AGENT_SHELL_SHELL_VARIABLES_H
#define AGENT_SHELL_SHELL_VARIABLES_H

#include "lib/efi/efi.h"

/* The value of a variable, NULL: there is none; the names of all of them, each with its NUL, with
 * one more at the end, for name NULL. attributes: the firmware's, NULL: not asked for. It stays
 * until shell_variables_end(). */
const CHAR16 *shell_variables_get(const CHAR16 *name, UINT32 *attributes);

/* Set it, until the machine is reset if is_volatile; value NULL or empty: remove it. */
EFI_STATUS shell_variables_set(const CHAR16 *name, const CHAR16 *value, BOOLEAN is_volatile);

void shell_variables_end(void);

#endif
