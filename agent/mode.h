/* SPDX-License-Identifier: MIT */
/* The mode of a run, resident or exclusive (docs/resident.md), and the tables that are used. */
#ifndef AGENT_MODE_H
#define AGENT_MODE_H

#include <stdbool.h>

#include "arch/arch.h"
#include "command/command.h"

/* Whether a command that the machine was booted with borrows it, and gives it back. It says so, or
 * does not say otherwise and there is no shared memory (the region is in RAM): then whoever stands
 * by the machine wants a file. Pure. */
bool mode_is_resident(const struct command *command, bool in_ram);

/* Which tables of the firmware's are to be believed; ARCH_TABLES_NONE: it does not say. Pure. */
enum arch_tables mode_tables(const struct command *command);

#endif
