/* SPDX-License-Identifier: MIT */
/* The mode of a command: does it take the machine over for good, or give it back
 * (docs/resident.md)? */
#ifndef AGENT_MODE_H
#define AGENT_MODE_H

#include <stdbool.h>

#include "arch/arch.h"
#include "command/command.h"

/* Returns whether a command of the machine's own command line gives the machine back to the
 * firmware. Either an option asks for it; or no option says otherwise and the region is in RAM (no
 * host shares the memory), because then the user wants a file. Pure. */
bool mode_is_resident(const struct command *command, bool in_ram);

/* Returns which of the firmware's tables the command chooses, or ARCH_TABLES_NONE. Pure. */
enum arch_tables mode_tables(const struct command *command);

#endif
