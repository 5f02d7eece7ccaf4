/* SPDX-License-Identifier: MIT */
/* The environment of our own shell: the firmware's variables that EDK2's shell uses as well (set,
 * set -v), so that both shells have the same environment. Boot services only. Thread. */
#ifndef AGENT_SHELL_SHELL_VARIABLES_H
#define AGENT_SHELL_SHELL_VARIABLES_H

#include "lib/efi/efi.h"

/* Returns the value of a variable, or NULL if there is none. name NULL: the names of all variables,
 * each with its NUL, and one more NUL. attributes (or NULL): the firmware's. The result stays until
 * shell_variables_end(). */
const CHAR16 *shell_variables_get(const CHAR16 *name, UINT32 *attributes);

/* Set a variable; is_volatile: only until a reset. value NULL or empty: remove it. */
EFI_STATUS shell_variables_set(const CHAR16 *name, const CHAR16 *value, BOOLEAN is_volatile);

void shell_variables_end(void);

#endif
