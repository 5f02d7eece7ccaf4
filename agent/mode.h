/* SPDX-License-Identifier: MIT */
/* Who has the machine, and for how long (docs/resident.md). */
#ifndef AGENT_MODE_H
#define AGENT_MODE_H

#include <stdbool.h>

#include "agent/parse/command.h"

/* Whether a command that the machine was booted with borrows it, and gives it back. It says so, or
 * does not say otherwise and there is no shared memory (the region is in RAM): then whoever stands
 * by the machine wants a file. Pure. */
bool mode_is_resident(const struct command *command, bool in_ram);

#endif
