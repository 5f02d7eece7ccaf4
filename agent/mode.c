/* SPDX-License-Identifier: MIT */
#include "agent/mode.h"

#include "agent/payload/payload.h"

enum arch_tables mode_tables(const struct command *command)
{
	if (command->dtb)
		return ARCH_TABLES_DEVICETREE;
	return command->acpi ? ARCH_TABLES_ACPI : ARCH_TABLES_NONE;
}

bool mode_is_resident(const struct command *command, bool in_ram)
{
	if (payload_runs_on_firmware(command) || command->resident || command->keep ||
	    command->output || command->uefi || command->verb == COMMAND_SAVE ||
	    command->verb == COMMAND_REGISTER || command->verb == COMMAND_UNREGISTER)
		return true;
	return in_ram && !command->exclusive && command->then != THEN_WAIT;
}
