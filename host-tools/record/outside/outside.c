/* SPDX-License-Identifier: MIT */
#include "host-tools/record/outside/outside.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "host-tools/record/outside/outside_machine.h"
#include "host-tools/util/exit_status.h"

bool outside_is_meant(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "--outside"))
			return true;
	}
	return false;
}

/* Names are missing that the user expects. */
static void report_misfit(const struct outside_machine *machine)
{
	const struct session *session = &machine->drive.session;

	if (!machine->config.image_count || machine->placed || !session->found.samples)
		return;
	say("none of the %" PRIu64
	    " samples lies in %s: the guest runs at other addresses, or runs "
	    "another kernel. Linux chooses its addresses at boot unless its command line has "
	    "`nokaslr'",
	    session->found.samples, machine->options->output.symbols);
}

/* A limit of this QEMU that the plugin names. */
static void report_notice(const struct outside_machine *machine)
{
	char message[1024];

	region_message(&machine->region, message);
	if (*message)
		say("%s", message);
}

/* The exit status of a recording that is whole. */
static int qemu_status(const struct outside_machine *machine)
{
	if (machine->signal)
		return RUN_SIGNAL + machine->signal;
	return WIFSIGNALED(machine->status) ? RUN_SIGNAL + WTERMSIG(machine->status)
	                                    : WEXITSTATUS(machine->status);
}

static int report(struct outside_machine *machine, const struct error *error, int code)
{
	int status = drive_summary(&machine->drive, 0);

	if (machine->drive.recorded) {
		report_notice(machine);
		report_misfit(machine);
	}
	if (code) {
		error_print(error);
		return machine->is_refused ? RUN_REFUSED : RUN_ERROR;
	}
	if (!status && !ledger_ended(&machine->drive.session.ledger)) {
		say("QEMU ended without its plugin (signal %d): the newest samples of each vCPU are "
		    "not in its ledger",
		    WIFSIGNALED(machine->status) ? WTERMSIG(machine->status) : 0);
		return RUN_UNFINISHED;
	}
	return status ? status : qemu_status(machine);
}

int command_outside(int argc, char **argv)
{
	const char *const *command = (const char *const *)(argv - 1);
	struct outside_options options;
	struct outside_machine machine;
	struct error error = { "" };
	int status;

	outside_options_parse(&options, argc, argv);
	if (options.dry_run)
		return EXIT_OK;
	status = outside_machine_run(&machine, &options, command, argc + 1, &error);
	status = report(&machine, &error, status);
	outside_machine_free(&machine);
	return status;
}
