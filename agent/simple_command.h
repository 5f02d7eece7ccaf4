/* SPDX-License-Identifier: MIT */
/* The commands that need only the firmware. */
#ifndef AGENT_SIMPLE_COMMAND_H
#define AGENT_SIMPLE_COMMAND_H

#include "command/command.h"

/* Carry out the command, parsed from text. Returns true if it was such a command; *outcome is then
 * 0, or a negative errno whose reason is printed. Returns false for any other command. Thread. */
bool simple_command_run(struct command *command, const char *text, int *outcome);

#endif
