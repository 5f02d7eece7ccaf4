/* SPDX-License-Identifier: MIT */
#include "agent/unsupported.h"

#include <errno.h>
#include <string.h>

#include "agent/mode.h"
#include "agent/payload/payload.h"
#include "agent/record/reader.h"
#include "agent/selftest/selftest.h"
#include "agent/volume/volume.h"
#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/print.h"

static const char *unsupported_of_reset(const struct command *command, bool at_boot)
{
	if (command->reset && !at_boot)
		return "its note would be the firmware's to keep: say this when the machine boots";
	if (command->reset && selftest_prepare(command))
		return "the firmware keeps no variable for us: it would be reset at each boot";
	return NULL;
}

static const char *unsupported_of_size(const struct command *command, bool in_ram, bool at_boot)
{
	if (command->region_size && !in_ram)
		return "the trace region is not in RAM: its size is the host's to choose";
	if (command->region_size && !at_boot)
		return "the trace region is there already: say this when the machine boots";
	return NULL;
}

static const char *unsupported_of_tables(const struct command *command,
                                         const struct unsupported_moment *moment)
{
	if (!command->acpi && !command->dtb)
		return NULL;
	if (!moment->at_boot)
		return "the firmware's tables are read already: say this when the machine boots";
	if (command->dtb && moment->tables != ARCH_TABLES_DEVICETREE)
		return "the firmware gives no device tree that could be read: without this "
		       "ACPI's tables are";
	if (command->acpi && moment->tables != ARCH_TABLES_ACPI)
		return "the firmware gives no ACPI tables that could be read: without this the "
		       "device tree is";
	return NULL;
}

static const char *unsupported_of_recovery(const struct command *command, bool at_boot)
{
	if (command->verb == COMMAND_RECOVER && !at_boot)
		return "the firmware is gone, and with it its volume: say this when the machine "
		       "boots";
	return NULL;
}

static const char *unsupported_of_resident(const struct command *command, bool in_ram, bool at_boot)
{
	if (mode_is_resident(command, false) && !at_boot)
		return "the firmware is gone: say this when the machine boots";
	if (command->keep && !in_ram)
		return "the trace region is not in RAM: it is the host's to keep";
	if (command->exclusive && payload_runs_on_firmware(command))
		return "an image of UEFI's needs the firmware, which goes on";
	return NULL;
}

static const char *unsupported_of_boot(const struct command *command, bool at_boot)
{
	bool boots = command->boot && command->verb == COMMAND_RECORD;

	if (boots && !(at_boot && efi_is_driver()))
		return "bareperf-dxe.efi does that, which stays while the firmware boots: register "
		       "has it loaded, as the shell's load does";
	if (!boots && at_boot && efi_boot_services && efi_is_driver())
		return "bareperf-dxe.efi records the boot, and carries out nothing but "
		       "record --boot";
	return NULL;
}

static const char *unsupported_of_lossless(const struct command *command, bool resident)
{
	if (command->lossless && resident)
		return "nobody reads while the machine is borrowed from the firmware: --exclusive "
		       "keeps it for a reader";
	return NULL;
}

static const char *unsupported_of_fetch(const struct command *command, bool resident)
{
	if (command->nr_fetch && resident && command->verb == COMMAND_STAT)
		return "stat leaves no file on the volume, beside which they could lie: record does; "
		       "--exclusive keeps the machine for a reader";
	return NULL;
}

static const char *unsupported_of_end(const struct command *command,
                                      const struct trace_region *region,
                                      const struct unsupported_moment *moment)
{
	if (command->verb != COMMAND_RECORD && command->verb != COMMAND_STAT)
		return NULL;
	/* at boot its reader may still come, by a line; or it becomes a file, or stays */
	if (!moment->resident && (command->then == THEN_POWEROFF || command->then == THEN_REBOOT) &&
	    !(moment->at_boot && moment->line_to_come) && !reader_is_announced(region))
		return "the recording would be lost: it is in RAM, and nobody reads it (wait will do)";
	return NULL;
}

/* A name that is of no use is refused; what the volume lacks is told, and costs no recording: it
 * stays in RAM. */
static const char *unsupported_of_file(const struct command *command, const struct channel *channel)
{
	static struct error error;
	int code;

	if ((command->verb != COMMAND_RECORD && command->verb != COMMAND_REGISTER) ||
	    (!channel->ops->in_ram && !command->output))
		return NULL;
	code = volume_check(channel->size, command->output, &error);
	if (code == -EEXIST || code == -ENAMETOOLONG || code == -EINVAL)
		return error.text;
	if (code)
		console_printf("bareperf: the recording may stay in RAM: %s\n", error.text);
	return NULL;
}

/* Why, and by which option, which is set either way. */
static const char *unsupported_of(const struct command *command, const struct trace_region *region,
                                  const struct channel *channel,
                                  const struct unsupported_moment *moment, const char **option)
{
	bool in_ram = channel->ops->in_ram;
	const char *what;

	*option = "recover";
	what = unsupported_of_recovery(command, moment->at_boot);
	if (what)
		return what;
	*option = command->boot ? BOOT_WORKLOAD : "";
	what = unsupported_of_boot(command, moment->at_boot);
	if (what)
		return what;
	*option = command->dtb ? "--dtb" : "--acpi";
	what = unsupported_of_tables(command, moment);
	if (what)
		return what;
	*option = "--reset";
	what = unsupported_of_reset(command, moment->at_boot);
	if (what)
		return what;
	*option = "--region-size";
	what = unsupported_of_size(command, in_ram, moment->at_boot);
	if (what)
		return what;
	*option = command->exclusive ? "--exclusive"
	          : command->keep    ? "--keep"
	          : command->output  ? "-o"
	                             : "--resident";
	what = unsupported_of_resident(command, in_ram, moment->at_boot);
	if (what)
		return what;
	*option = "--lossless";
	what = unsupported_of_lossless(command, moment->resident);
	if (what)
		return what;
	*option = "--fetch";
	what = unsupported_of_fetch(command, moment->resident);
	if (what)
		return what;
	*option = "--then";
	what = in_ram ? unsupported_of_end(command, region, moment) : NULL;
	if (what || !moment->resident)
		return what;
	*option = command->output ? command->output : "record";
	return unsupported_of_file(command, channel);
}

void unsupported_find(const struct command *command, const char *text,
                      const struct trace_region *region, const struct channel *channel,
                      const struct unsupported_moment *moment, struct command_error *mistake)
{
	const char *option, *at;

	mistake->what = unsupported_of(command, region, channel, moment, &option);
	at = strstr(text, option);
	mistake->column = at ? (unsigned)(at - text) : 0;
}

int unsupported_refuse(struct trace_region *region, const char *text,
                       const struct command_error *error)
{
	char message[192];

	print_text(message, sizeof(message), "command line, column %u: %s%s%s%s", error->column + 1,
	           error->what, error->meant ? "; did you mean " : "",
	           error->meant ? error->meant : "", error->meant ? "?" : "");
	console_printf("%s\n%*s^\n%s\n", text, (int)error->column, "", message);
	trace_region_set_message(region, -EINVAL, message);
	trace_region_set_state(region, TR_FAILED);
	return -EINVAL;
}
