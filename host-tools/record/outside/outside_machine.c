/* SPDX-License-Identifier: MIT */
#include "host-tools/record/outside/outside_machine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host-tools/record/outside/outside_start.h"
#include "host-tools/util/signals.h"
#include "writer/perfdata/sample.h"

#define POLL_MS 2    /* ms between two looks */
#define END_S   10.0 /* s for QEMU to end after it was told to */

static const struct guest no_command;

static bool has_ended(struct outside_machine *machine)
{
	if (!machine->has_ended && machine->pid &&
	    waitpid(machine->pid, &machine->status, WNOHANG) == machine->pid) {
		machine->has_ended = true;
		machine->pid = 0;
	}
	return machine->has_ended;
}

static void stop(struct outside_machine *machine)
{
	double since = progress_now();

	if (!has_ended(machine) && machine->told <= 0)
		kill(machine->pid, SIGTERM);
	while (!has_ended(machine) && progress_now() - since < END_S)
		poll(NULL, 0, POLL_MS);
	if (has_ended(machine))
		return;
	kill(machine->pid, SIGKILL);
	waitpid(machine->pid, &machine->status, 0);
	machine->has_ended = true;
	machine->pid = 0;
}

/* Whether a sample lies in the kernel: otherwise the file does not fit the guest. */
static void see(void *context, const struct perf_event_header *record, uint32_t event)
{
	struct outside_machine *machine = context;
	const uint64_t *words = (const uint64_t *)(const void *)record;

	(void)event;
	if (record->type != PERF_RECORD_SAMPLE)
		return;
	for (uint32_t i = 0; i < machine->config.image_count; i++) {
		const struct tr_image *image = &machine->config.images[i];

		machine->placed += words[2] - image->address < image->size;
	}
}

static int begin_session(struct outside_machine *machine, struct error *error)
{
	struct drive *drive = &machine->drive;
	struct session_options options = drive_session_options(drive);
	struct tr_header header;
	int code;

	region_header(&machine->region, &header);
	if (drive->has_session || !header.run || !header.events.count)
		return 0;
	options.symbols = machine->symbols;
	options.see = see;
	options.see_context = machine;
	code = session_begin(&drive->session, &machine->region, &options, error);
	drive->has_session = !code;
	return code ? code : drive_begin_output(drive, error);
}

static enum turn refused(struct outside_machine *machine, struct error *error)
{
	char message[1024];

	region_message(&machine->region, message);
	machine->is_refused = true;
	error_set(error, -ENOTSUP, "QEMU cannot be sampled like that: %.800s", message);
	return TURN_FAIL;
}

/* QEMU has ended without a region: it never called the plugin. */
static enum turn ended_early(const struct outside_machine *machine, struct error *error)
{
	if (WIFSIGNALED(machine->status))
		error_set(error, -EPIPE, "QEMU was ended by signal %d before it loaded the plugin",
		          WTERMSIG(machine->status));
	else
		error_set(error, -EPIPE,
		          "QEMU ended (exit status %d) before it loaded the plugin; its own "
		          "message is above. A QEMU that was built without plugins (configure "
		          "--enable-plugins) cannot be sampled from outside",
		          WEXITSTATUS(machine->status));
	return TURN_FAIL;
}

static enum turn look_at_region(struct outside_machine *machine, bool dead, struct error *error)
{
	/* Read the state first: the records that it promises are then there. */
	uint32_t state = region_state(&machine->region);
	uint64_t got;

	if (state == TR_FAILED)
		return refused(machine, error);
	if (state != TR_RECORDING && state != TR_COMPLETE)
		return dead ? ended_early(machine, error) : TURN_ON;
	if (begin_session(machine, error))
		return TURN_FAIL;
	if (machine->drive.has_session &&
	    progress_drain(&machine->drive.progress, &machine->drive.session, &got, error))
		return TURN_FAIL;
	return state == TR_COMPLETE || dead ? TURN_DONE : TURN_ON;
}

static enum turn look(struct drive *drive, struct error *error)
{
	struct outside_machine *machine = drive->context;
	/* First: the looks that follow then see all that QEMU wrote before it ended. */
	bool dead = has_ended(machine);
	int code = channel_refresh(&machine->channel, error);

	if (code < 0)
		return TURN_FAIL;
	if (!machine->has_region) {
		code = region_open(&machine->region, &machine->channel, error);
		machine->has_region = !code;
		if (code && code != -EAGAIN)
			return TURN_FAIL;
	}
	if (!machine->has_region)
		return dead ? ended_early(machine, error) : TURN_ON;
	drive->waiting = NULL;
	return look_at_region(machine, dead, error);
}

/* QEMU ends in order, and the plugin completes the recording. */
static int interrupt(struct drive *drive, struct error *error)
{
	struct outside_machine *machine = drive->context;

	if (machine->told > 0)
		return progress_now() - machine->told < END_S
		           ? 0
		           : error_set(error, -EINTR, "QEMU did not end within %g s", END_S);
	machine->told = progress_now();
	if (machine->pid)
		kill(machine->pid, SIGTERM);
	return 0;
}

static void wait_a_little(struct drive *drive)
{
	struct outside_machine *machine = drive->context;
	struct pollfd fds[] = {
		{ .fd = machine->signals, .events = POLLIN },
		{ .fd = machine->pidfd, .events = POLLIN },
	};

	poll(fds, 2, POLL_MS);
	signals_take(machine->signals, &machine->signal, &machine->snapshot_wanted);
}

static void leave(struct drive *drive, enum turn turn)
{
	if (turn != TURN_DONE)
		stop(drive->context);
}

int outside_machine_run(struct outside_machine *machine, const struct outside_options *options,
                        const char *const *command, int words, struct error *error)
{
	static const struct drive_machine operations = {
		.look = look,
		.interrupt = interrupt,
		.wait = wait_a_little,
		.leave = leave,
	};
	enum turn turn;
	int code;

	*machine = (struct outside_machine){
		.options = options,
		.region_fd = -1,
		.config_fd = -1,
		.signals = -1,
		.pidfd = -1,
		.drive = {
			.machine = &operations,
			.context = machine,
			.region = &machine->region,
			.waiting = "waiting for QEMU",
			.output_options = (struct output_options *)(uintptr_t)&options->output,
			.guest = &no_command,
			.command = command,
			.command_words = words,
			.signal = &machine->signal,
			.snapshot_wanted = &machine->snapshot_wanted,
		},
	};
	progress_start(&machine->drive.progress);
	code = outside_start(machine, error);
	if (code)
		return code;
	turn = drive_loop(&machine->drive, error);
	code = drive_finish(&machine->drive, turn, error);
	stop(machine);
	progress_clear(&machine->drive.progress);
	return turn == TURN_DONE ? code : -EIO;
}

void outside_machine_free(struct outside_machine *machine)
{
	int *fds[] = { &machine->region_fd, &machine->config_fd, &machine->signals,
		       &machine->pidfd };

	drive_close(&machine->drive);
	free(machine->symbols);
	region_lease_give_back(&machine->lease);
	region_close(&machine->region);
	channel_close(&machine->channel);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}
