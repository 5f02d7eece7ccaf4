/* SPDX-License-Identifier: MIT */
/* The commands that need nothing of the machine but its firmware. */
#ifndef AGENT_SIMPLE_COMMAND_H
#define AGENT_SIMPLE_COMMAND_H

#include "command/command.h"

/* Carry out the command, parsed from text: true, and *outcome, where it failed or could have, is 0
 * or a negative errno, which is said; false: it is one for a machine of our own. Thread. */
bool simple_command_run(struct command *command, const char *text, int *outcome);

#endif
