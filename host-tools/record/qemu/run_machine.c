/* SPDX-License-Identifier: MIT */
/* A machine under QEMU from its start to its end. */
#include "host-tools/record/qemu/run_machine.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/record/command/guest_text.h"
#include "host-tools/record/qemu/run_state.h"
#include "host-tools/util/signals.h"

#define POLL_MS      1    /* between two looks at the machine */
#define SUPERVISE_MS 10   /* the same, while a reader looks after the rings */
#define LAST_MS      1000 /* for what the program has printed, after Ctrl-C */
#define POWEROFF_MS  5000 /* for the machine to switch itself off when all is done */

/* Sleep until the next look, or until a signal, QEMU's end or the reader's. */
static void wait_a_little(struct machine *machine)
{
	struct pollfd fds[] = {
		{ .fd = machine->signals, .events = POLLIN },
		{ .fd = machine->qemu.pidfd, .events = POLLIN },
		{ .fd = machine->reader.pidfd, .events = POLLIN },
	};

	poll(fds, 3, machine->reader.pid ? SUPERVISE_MS : POLL_MS);
	signals_take(machine->signals, &machine->signal, &machine->snapshot_wanted);
}

static void show_log(struct machine *machine, int fd, uint64_t *shown)
{
	char *text = qemu_read_log(fd, shown);

	if (text && *text) {
		progress_clear(&machine->progress);
		fputs(text, stderr);
	}
	free(text);
}

/* The serial line, and what QEMU itself says, which is the serial line if the user put it there. */
static void show_serial(struct machine *machine)
{
	show_log(machine, machine->qemu.serial_fd, &machine->serial_shown);
	show_log(machine, machine->qemu.log_fd, &machine->log_shown);
}

/* Begin to record when there is something to record. */
static int begin_session(struct machine *machine, const struct run_options *options,
                         const char *const *command, int command_words, struct error *error)
{
	struct tr_header header;
	struct session_options session = {
		.buildid_cache = !options->output.no_buildid_cache && !options->stat,
		.output = options->output.path,
		.e_machine = options->output.e_machine,
		.writer = machine->output.output ? &machine->output : NULL,
		.symbols = options->output.symbols,
		.booted = options->image,
		.payload = options->guest.payload,
		.see = machine->top ? top_see : NULL,
		.see_context = machine->top,
		.command = command,
		.command_words = command_words,
	};
	int code;

	region_header(&machine->region, &header);
	if (machine->has_session || !header.run || !header.events.count)
		return 0;
	machine->refused = false; /* this much of it was carried out */
	code = session_begin(&machine->session, &machine->region, &session, error);
	machine->has_session = !code;
	if (!code) {
		bool aside = output_is_stream(&options->output) || options->json || machine->top;

		guest_output_begin(&machine->printed, &machine->region, aside, false);
		guest_fetch_begin(&machine->fetch, &options->guest, &machine->region);
	}
	if (!code && machine->top)
		return top_begin(machine->top, &machine->session, error);
	/* The file's own trouble is found, and told, by reading here. */
	/* Nor can what is put into a stream be taken back when a reader dies: it is read here. */
	if (!code && !machine->session.writer.failed && !machine->session.writer.is_stream) {
		progress_clear(&machine->progress); /* what waited is over: a line at once */
		code = reader_process_start(&machine->reader, &machine->session, &machine->progress,
		                            error);
		machine->progress.dirty = machine->progress.shown;
	}
	return code;
}

/* Read the rings, unless a reader does. The last time it is done here in any case. */
static int drain(struct machine *machine, bool last, struct error *error)
{
	uint64_t got;

	if (!machine->has_session)
		return 0;
	if (last)
		reader_process_stop(&machine->reader, &machine->session);
	else if (reader_process_goes_on(&machine->reader, &machine->session, &machine->progress))
		return 0;
	return progress_drain(&machine->progress, &machine->session, &got, error);
}

/* What the program prints, and what it has written. */
static int take_output(struct machine *machine, bool last, struct error *error)
{
	int code;

	do {
		code = guest_output_show(&machine->printed, &machine->progress, 0, error);
		if (!code)
			code = guest_fetch_take(&machine->fetch, &machine->hurries, error);
	} while (!code && last && machine->hurries);
	return code;
}

/* Before the magic is there. */
static enum turn look_for_region(struct machine *machine, const struct run_options *options,
                                 struct error *error)
{
	int code = region_open(&machine->region, &machine->channel, error);

	if (!code) {
		machine->has_region = true;
		return TURN_ON;
	}
	if (code != -EAGAIN)
		return TURN_FAIL;
	progress_wait(&machine->progress, "waiting for the image to start");
	if (progress_now() - machine->progress.started < options->timeout)
		return TURN_ON;
	machine->show_console = true;
	error_set(error, -ETIMEDOUT,
	          "%s did not make a trace region within %g s: it did not start, or found no "
	          "ivshmem device. Try -v to see its serial line, or a longer --timeout",
	          options->image, options->timeout);
	return TURN_FAIL;
}

/* The region is there, and the machine begins nothing: it did not get the command. */
static bool is_late(struct machine *machine, const struct run_options *options, struct error *error)
{
	uint32_t state = region_state(&machine->region);

	if (state != TR_BOOTING && state != TR_IDLE)
		return false;
	if (!machine->seen)
		machine->seen = progress_now();
	if (progress_now() - machine->seen < options->timeout)
		return false;
	machine->show_console = true;
	error_set(error, -ETIMEDOUT,
	          "%s did not begin to carry out the command within %g s. Try -v to see its serial "
	          "line, or a longer --timeout",
	          options->image, options->timeout);
	return true;
}

static enum turn look(struct machine *machine, const struct run_options *options,
                      const char *const *command, int command_words, struct error *error)
{
	enum turn turn = TURN_ON;
	int brought = channel_refresh(&machine->channel, error);

	machine->has_more = brought > 0;
	if (brought < 0)
		return TURN_FAIL;
	if (!machine->has_region)
		turn = look_for_region(machine, options, error);
	/* Not only at the next look: the machine may be done, and gone, by then. */
	if (!machine->has_region)
		return turn;
	if (machine->by_mailbox && !machine->request) {
		int code = guest_send(&options->guest, &machine->region, &machine->request, error);

		machine->refused = code == -EINVAL;
		if (code)
			return TURN_FAIL;
	}
	/* The state first: what it promises is there when the rest is read. */
	turn = run_state_look(machine, error);
	if (turn == TURN_ON && is_late(machine, options, error))
		return TURN_FAIL;
	if (turn != TURN_ON || region_state(&machine->region) == TR_RECORDING) {
		struct error reason = { "" };

		if (begin_session(machine, options, command, command_words, &reason) ||
		    drain(machine, turn != TURN_ON, &reason) ||
		    take_output(machine, turn != TURN_ON, &reason)) {
			*error = reason;
			return TURN_FAIL;
		}
	}
	return turn;
}

static enum turn loop(struct machine *machine, const struct run_options *options,
                      const char *const *command, int command_words, struct error *error)
{
	enum turn turn = TURN_ON;

	while (turn == TURN_ON) {
		/* Asked first: what it wrote before it ended is seen by the looks that follow. */
		bool dead = qemu_has_ended(&machine->qemu);

		machine->is_last |= dead && !machine->has_more;
		turn = look(machine, options, command, command_words, error);
		if (turn == TURN_ON && machine->is_last && !machine->has_more)
			turn = run_state_after_death(machine, error);
		if (turn == TURN_ON && machine->top)
			machine->quits = top_turn(machine->top, "waiting for the image to start") ==
			                 TOP_QUIT;
		if (turn == TURN_ON && (machine->signal || machine->quits)) {
			error_set(error, -EINTR, "interrupted");
			turn = TURN_FAIL;
		}
		if (options->verbose)
			show_serial(machine);
		if (turn == TURN_ON && machine->snapshot_wanted && machine->has_session) {
			machine->snapshot_wanted = false;
			session_ask_for_snapshot(&machine->session);
		}
		if (turn == TURN_ON && !machine->hurries)
			wait_a_little(machine);
	}
	return turn;
}

static int finish(struct machine *machine, enum turn turn, struct error *error)
{
	struct error reason = { "" };
	int code;

	if (!machine->has_session)
		return turn == TURN_DONE ? 0 : -EIO;
	reader_process_stop(&machine->reader, &machine->session);
	/* A machine that is not at its end would go on writing. */
	if (turn != TURN_DONE)
		qemu_stop(&machine->qemu, 0);
	code = session_finish(&machine->session, turn != TURN_DONE, &reason);
	machine->recorded = true;
	/* The last of it; who has interrupted us need not have all of it taken. */
	take_output(machine, true, &reason);
	guest_output_show(&machine->printed, &machine->progress, machine->signal ? LAST_MS : -1,
	                  &reason);
	if (machine->top)
		top_end(machine->top);
	if (turn == TURN_DONE && code)
		*error = reason;
	return turn == TURN_DONE ? code : -EIO;
}

int machine_run(struct machine *machine, const struct run_options *options,
                const char *const *command, int command_words, struct error *error)
{
	enum turn turn;
	int code;

	memset(machine, 0, sizeof(*machine));
	machine->region_fd = -1;
	machine->archive_fd = -1;
	machine->signals = -1;
	machine->reader.pidfd = -1;
	ivshmem_server_init(&machine->doorbells);
	machine->qemu = (struct qemu){ .pidfd = -1, .serial_fd = -1, .log_fd = -1, .vars_fd = -1 };
	progress_start(&machine->progress);
	code = machine_start(machine, options, error);
	if (code)
		return code;
	turn = loop(machine, options, command, command_words, error);
	code = finish(machine, turn, error);
	/* Only who has recorded all may take its time to switch off; what answers from the UEFI
	 * shell's side goes back there. */
	qemu_stop(&machine->qemu, turn == TURN_DONE && machine->recorded ? POWEROFF_MS : 0);
	if (options->verbose)
		show_serial(machine);
	progress_clear(&machine->progress);
	if (machine->top && !code)
		top_browse(machine->top, machine->signals, &machine->signal);
	top_restore(machine->top);
	return code;
}

void machine_free(struct machine *machine)
{
	top_close(machine->top);
	if (machine->has_session)
		session_end(&machine->session);
	perf_writer_abandon(&machine->output);
	region_lease_give_back(&machine->lease);
	region_close(&machine->region);
	channel_close(&machine->channel);
	qemu_free(&machine->qemu);
	ivshmem_server_close(&machine->doorbells);
	if (machine->region_fd >= 0)
		close(machine->region_fd);
	if (machine->archive_fd >= 0)
		close(machine->archive_fd);
	if (machine->signals >= 0)
		close(machine->signals);
	free(machine->append);
}
