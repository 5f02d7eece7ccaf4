/* SPDX-License-Identifier: MIT */
/* A machine under QEMU from its start to its end. */
#include "host-tools/record/qemu/run_machine.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/record/command/guest_text.h"
#include "host-tools/record/qemu/kvm.h"
#include "host-tools/record/qemu/run_state.h"
#include "host-tools/util/signals.h"

#define POLL_MS      1    /* ms between two looks at the machine */
#define SUPERVISE_MS 10   /* ms, while a reader reads the rings */
#define POWEROFF_MS  5000 /* ms for the machine to switch itself off after the run */

/* Sleep until the next look, a signal, QEMU's end or the reader's end. */
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
		progress_clear(&machine->drive.progress);
		fputs(text, stderr);
	}
	free(text);
}

/* The serial line, and QEMU's own messages. The user's options may have put the serial line among
 * those. */
static void show_serial(struct machine *machine)
{
	show_log(machine, machine->qemu.serial_fd, &machine->serial_shown);
	show_log(machine, machine->qemu.log_fd, &machine->log_shown);
}

/* Begin a session when the machine has begun to record. */
static int begin_session(struct machine *machine, struct error *error)
{
	struct drive *drive = &machine->drive;
	struct session_options options = drive_session_options(drive);
	struct tr_header header;
	int code;

	region_header(&machine->region, &header);
	if (drive->has_session || !header.run || !header.events.count)
		return 0;
	machine->refused = false; /* this part of the command was carried out */
	options.payload = machine->options->guest.payload;
	code = session_begin(&drive->session, &machine->region, &options, error);
	drive->has_session = !code;
	if (!code)
		code = drive_begin_output(drive, error);
	if (code || drive->top)
		return code;
	/* This process reads if it must report problems with the file, and if the file is a stream:
	 * bytes in a stream cannot be taken back when a reader dies. */
	if (!drive->session.writer.failed && !drive->session.writer.is_stream) {
		progress_clear(&drive->progress); /* the wait is over: show the line at once */
		code = reader_process_start(&machine->reader, &drive->session, &drive->progress,
		                            error);
		drive->progress.dirty = drive->progress.shown;
	}
	return code;
}

/* Read the rings, unless a reader process does. The last read always happens here. */
static int drain(struct machine *machine, bool last, struct error *error)
{
	uint64_t got;

	if (!machine->drive.has_session)
		return 0;
	if (last)
		reader_process_stop(&machine->reader, &machine->drive.session);
	else if (reader_process_continues(&machine->reader, &machine->drive.session,
	                                  &machine->drive.progress))
		return 0;
	return progress_drain(&machine->drive.progress, &machine->drive.session, &got, error);
}

/* KVM could not execute the machine. QEMU stops the machine then, and goes on itself. */
static bool has_kvm_failed(struct machine *machine, struct error *error)
{
	char *line = machine->options->kvm ? kvm_failure(machine->qemu.log_fd) : NULL;

	if (!line)
		return false;
	error_set(error, -EIO,
	          "KVM could not execute the machine (QEMU: %.300s). A host that is a virtual "
	          "machine itself may lack the nested virtualization that firmware needs",
	          line);
	free(line);
	return true;
}

/* With KVM the firmware writes to the serial line, or starts the image, within seconds. */
static bool is_silent(const struct machine *machine, struct error *error)
{
	const struct run_options *options = machine->options;
	struct stat status;

	if (!options->kvm || !machine->sees_serial ||
	    progress_now() - machine->drive.progress.started < options->silence ||
	    fstat(machine->qemu.serial_fd, &status) || status.st_size)
		return false;
	error_set(error, -ETIMEDOUT,
	          "KVM did not reach the machine's firmware within %g s: nothing came from the "
	          "serial line. A host that is a virtual machine itself may lack the nested "
	          "virtualization that firmware needs; on a slow host try a longer --timeout",
	          options->silence);
	return true;
}

/* The region has no magic yet. */
static enum turn look_for_region(struct machine *machine, struct error *error)
{
	const struct run_options *options = machine->options;
	int code = region_open(&machine->region, &machine->channel, error);

	if (!code) {
		machine->has_region = true;
		if (!machine->drive.top)
			machine->drive.waiting = NULL;
		return TURN_ON;
	}
	if (code != -EAGAIN || is_silent(machine, error))
		return TURN_FAIL;
	if (progress_now() - machine->drive.progress.started < options->timeout)
		return TURN_ON;
	machine->show_console = true;
	error_set(error, -ETIMEDOUT,
	          "%s did not make a trace region within %g s: it did not start, or found no "
	          "ivshmem device. Try -v to see its serial line, or a longer --timeout",
	          options->image, options->timeout);
	return TURN_FAIL;
}

/* The region is there, but the machine has not begun a command: it did not get one. */
static bool is_late(struct machine *machine, struct error *error)
{
	const struct run_options *options = machine->options;
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

static int send_command(struct machine *machine, struct error *error)
{
	int code;

	if (!machine->by_mailbox || machine->request)
		return 0;
	code = guest_send(&machine->options->guest, &machine->region, &machine->request, error);
	machine->refused = code == -EINVAL;
	return code;
}

static enum turn look_at_run(struct machine *machine, struct error *error)
{
	/* Read the state first: the records that it promises are then there. */
	enum turn turn = run_state_look(machine, error);
	struct error reason = { "" };

	if (turn == TURN_ON && is_late(machine, error))
		return TURN_FAIL;
	if (turn == TURN_ON && region_state(&machine->region) != TR_RECORDING)
		return turn;
	if (begin_session(machine, &reason) || drain(machine, turn != TURN_ON, &reason) ||
	    drive_take_output(&machine->drive, &reason)) {
		*error = reason;
		return TURN_FAIL;
	}
	return turn;
}

static enum turn look(struct machine *machine, struct error *error)
{
	enum turn turn = TURN_ON;
	int brought = channel_refresh(&machine->channel, error);

	machine->has_more = brought > 0;
	if (brought < 0 || has_kvm_failed(machine, error))
		return TURN_FAIL;
	if (!machine->has_region)
		turn = look_for_region(machine, error);
	/* Look now too: the machine may have finished and powered off before the next look. */
	if (!machine->has_region)
		return turn;
	return send_command(machine, error) ? TURN_FAIL : look_at_run(machine, error);
}

static enum turn machine_look(struct drive *drive, struct error *error)
{
	struct machine *machine = drive->context;
	/* Check for QEMU's end first: the looks that follow then see all that the machine wrote
	 * before it ended. */
	bool dead = qemu_has_ended(&machine->qemu);
	enum turn turn;

	machine->is_last |= dead && !machine->has_more;
	turn = look(machine, error);
	if (turn == TURN_ON && machine->is_last && !machine->has_more)
		turn = run_state_after_death(machine, error);
	if (machine->options->verbose)
		show_serial(machine);
	return turn;
}

static int machine_interrupt(struct drive *drive, struct error *error)
{
	(void)drive;
	return error_set(error, -EINTR, "interrupted");
}

static void machine_wait(struct drive *drive)
{
	if (!drive->hurries)
		wait_a_little(drive->context);
}

static void machine_leave(struct drive *drive, enum turn turn)
{
	struct machine *machine = drive->context;

	reader_process_stop(&machine->reader, &drive->session);
	/* End the machine: without its end it would continue to write. */
	if (turn != TURN_DONE)
		qemu_stop(&machine->qemu, 0);
}

void machine_init(struct machine *machine, struct run_options *options, const char *const *command,
                  int command_words)
{
	static const struct drive_machine operations = {
		.look = machine_look,
		.interrupt = machine_interrupt,
		.wait = machine_wait,
		.leave = machine_leave,
	};

	*machine = (struct machine){
		.options = options,
		.qemu = { .pidfd = -1, .serial_fd = -1, .log_fd = -1, .vars_fd = -1 },
		.region_fd = -1,
		.archive_fd = -1,
		.rom_fd = -1,
		.signals = -1,
		.reader.pidfd = -1,
		.drive = {
			.machine = &operations,
			.context = machine,
			.region = &machine->region,
			.waiting = "waiting for the image to start",
			.output_options = &options->output,
			.guest = &options->guest,
			.image = options->image,
			.stat = options->stat,
			.json = options->json,
			.command = command,
			.command_words = command_words,
			.signal = &machine->signal,
			.snapshot_wanted = &machine->snapshot_wanted,
		},
	};
	ivshmem_server_init(&machine->doorbells);
	progress_start(&machine->drive.progress);
}

int machine_run(struct machine *machine, struct run_options *options, const char *const *command,
                int command_words, struct error *error)
{
	struct drive *drive = &machine->drive;
	enum turn turn;
	int code;

	machine_init(machine, options, command, command_words);
	code = machine_start(machine, options, error);
	if (code)
		return code;
	turn = drive_loop(drive, error);
	code = drive_finish(drive, turn, error);
	if (turn != TURN_DONE)
		code = -EIO;
	/* Wait for the machine to switch itself off only if all was recorded: a command from the
	 * UEFI shell returns to the shell. A recorded boot continues. */
	qemu_stop(&machine->qemu,
	          turn == TURN_DONE && drive->recorded && machine->rom_fd < 0 ? POWEROFF_MS : 0);
	if (options->verbose)
		show_serial(machine);
	progress_clear(&drive->progress);
	if (drive->top && !code)
		top_browse(drive->top, machine->signals, &machine->signal);
	top_restore(drive->top);
	return code;
}

void machine_free(struct machine *machine)
{
	drive_close(&machine->drive);
	region_lease_give_back(&machine->lease);
	region_close(&machine->region);
	channel_close(&machine->channel);
	qemu_free(&machine->qemu);
	ivshmem_server_close(&machine->doorbells);
	if (machine->region_fd >= 0)
		close(machine->region_fd);
	if (machine->archive_fd >= 0)
		close(machine->archive_fd);
	if (machine->rom_fd >= 0)
		close(machine->rom_fd);
	if (machine->signals >= 0)
		close(machine->signals);
	free(machine->append);
}
