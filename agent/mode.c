/* SPDX-License-Identifier: MIT */
#include "agent/mode.h"

bool mode_is_resident(const struct command *command, bool in_ram)
{
	if (command->resident || command->keep || command->output || command->verb == COMMAND_SAVE)
		return true;
	return in_ram && !command->exclusive && command->then != THEN_WAIT;
}
