/* SPDX-License-Identifier: MIT */
#include "host-tools/record/qemu/run_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/region/mailbox.h"

static enum turn failed(struct machine *machine, const char *what, struct error *error)
{
	char message[1024];

	region_message(&machine->region, message);
	error_set(error, -EIO, "%s: %.700s", what, *message ? message : "it gave no reason");
	return TURN_FAIL;
}

/* The command failed. A machine that waits for the next command does not stay in the state FAILED:
 * its answer then has the failure. */
static bool was_refused(const struct machine *machine)
{
	int status;

	return machine->request && mailbox_answered(&machine->region, machine->request, &status) &&
	       status < 0;
}

/* Whether it is FAILED because of the command, not before it could read a command. A machine that
 * takes commands already has a clock, and a wrong command line is -EINVAL (docs/trace-region.md,
 * "Header"). */
static bool is_for_the_command(const struct machine *machine)
{
	struct tr_header header;

	region_header(&machine->region, &header);
	return header.clock.frequency || header.status == -EINVAL;
}

static enum turn refused(struct machine *machine, struct error *error)
{
	machine->refused = true;
	machine->show_console = true;
	return failed(machine, "the machine refused or failed the command", error);
}

/* Whether the machine has carried out its own command line: a command that records has begun a run.
 * */
static bool has_begun(const struct machine *machine)
{
	bool records = !strncmp(machine->append, "record", 6) ||
	               !strncmp(machine->append, "stat", 4);
	struct tr_header header;

	region_header(&machine->region, &header);
	return !records || header.run;
}

/* In TR_IDLE: no work is left. */
static bool is_answered(const struct machine *machine)
{
	int status;

	return (!machine->by_mailbox && has_begun(machine)) ||
	       (machine->request && mailbox_answered(&machine->region, machine->request, &status));
}

enum turn run_state_look(struct machine *machine, struct error *error)
{
	uint32_t state = region_state(&machine->region);

	switch (state) {
	case TR_COMPLETE:
		return TURN_DONE;
	case TR_FAILED:
		if (is_for_the_command(machine))
			return refused(machine, error);
		machine->show_console = true;
		return failed(machine, "the machine failed before it took the command", error);
	case TR_IDLE:
		if (was_refused(machine))
			return refused(machine, error);
		/* It has carried out its own command line, or the command in its mailbox. */
		return is_answered(machine) ? TURN_DONE : TURN_ON;
	case TR_PANIC:
		machine->show_console = true;
		return failed(machine, "the machine panicked", error);
	case TR_BOOTING:
	case TR_RECORDING:
		return TURN_ON;
	default:
		machine->show_console = true;
		error_set(error, -EPROTO,
		          "trace region, offset 0x%zx: the state %u is unknown: the machine has "
		          "written over it",
		          offsetof(struct tr_header, state), state);
		return TURN_FAIL;
	}
}

enum turn run_state_after_death(struct machine *machine, struct error *error)
{
	char status[128];
	uint64_t from = 0;
	char *log;

	qemu_describe_status(&machine->qemu, status, sizeof(status));
	machine->died = true;
	log = qemu_read_log(machine->qemu.log_fd, &from);
	if (log)
		log[strcspn(log, "\n")] = 0;
	machine->show_console = true;
	error_set(error, -EPIPE, "QEMU ended (%s) before the command was done%s%.500s", status,
	          log && *log ? ": " : "", log ? log : "");
	free(log);
	return TURN_FAIL;
}
