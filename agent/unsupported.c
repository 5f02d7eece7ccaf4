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
		return "the firmware, which would keep its note, is gone: give this option at boot";
	if (command->reset && selftest_prepare(command))
		return "the firmware keeps no variables: the machine would be reset at each boot";
	return NULL;
}

static const char *unsupported_of_size(const struct command *command, bool in_ram, bool at_boot)
{
	if (command->region_size && !in_ram)
		return "the trace region is shared memory: the host chooses its size";
	if (command->region_size && !at_boot)
		return "the trace region already exists: give this option at boot";
	return NULL;
}

static const char *unsupported_of_tables(const struct command *command,
                                         const struct unsupported_moment *moment)
{
	if (!command->acpi && !command->dtb)
		return NULL;
	if (!moment->at_boot)
		return "the firmware's tables have been read already: give this option at boot";
	if (command->dtb && moment->tables != ARCH_TABLES_DEVICETREE)
		return "the firmware gives no readable device tree: without this option "
		       "bareperf reads ACPI's tables";
	if (command->acpi && moment->tables != ARCH_TABLES_ACPI)
		return "the firmware gives no readable ACPI tables: without this option "
		       "bareperf reads the device tree";
	return NULL;
}

static const char *unsupported_of_recovery(const struct command *command, bool at_boot)
{
	if (command->verb == COMMAND_RECOVER && !at_boot)
		return "the firmware and its volume are gone: give this command at boot";
	return NULL;
}

static const char *unsupported_of_resident(const struct command *command, bool in_ram, bool at_boot)
{
	if (mode_is_resident(command, false) && !at_boot)
		return "the firmware is gone: give this option at boot";
	if (command->keep && !in_ram)
		return "the trace region is shared memory, which the host keeps";
	if (command->exclusive && payload_runs_on_firmware(command))
		return "a UEFI image needs the firmware, which must keep running";
	return NULL;
}

static const char *unsupported_of_boot(const struct command *command, bool at_boot)
{
	bool boots = command->boot && command->verb == COMMAND_RECORD;

	if (boots && !(at_boot && efi_is_driver()))
		return "only bareperf-dxe.efi does that, which stays while the firmware boots: load "
		       "it by the command register or the shell's load";
	if (!boots && at_boot && efi_boot_services && efi_is_driver())
		return "bareperf-dxe.efi records the boot, and carries out only record --boot";
	return NULL;
}

static const char *unsupported_of_lossless(const struct command *command, bool resident)
{
	if (command->lossless && resident)
		return "no host reads in resident mode: use --exclusive, which waits for a reader";
	return NULL;
}

static const char *unsupported_of_fetch(const struct command *command, bool resident)
{
	if (command->nr_fetch && resident && command->verb == COMMAND_STAT)
		return "stat writes no file, beside which fetched files could lie: use record, or "
		       "--exclusive, which waits for a reader";
	return NULL;
}

static const char *unsupported_of_end(const struct command *command,
                                      const struct trace_region *region,
                                      const struct unsupported_moment *moment)
{
	if (command->verb != COMMAND_RECORD && command->verb != COMMAND_STAT)
		return NULL;
	/* at boot a reader may still come over a line; resident, the recording becomes a file or
	 * stays in RAM */
	if (!moment->resident && (command->then == THEN_POWEROFF || command->then == THEN_REBOOT) &&
	    !(moment->at_boot && moment->line_to_come) && !reader_is_announced(region))
		return "the recording in RAM would be lost, because no host reads it: use --then wait";
	return NULL;
}

/* A file name that cannot be used is refused. Other problems with the volume are reported early;
 * the recording then stays in RAM. */
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

/* Returns the reason why the command is refused, or NULL. *option is the option or word that it is
 * about. */
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
	          : command->uefi    ? "--uefi"
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
