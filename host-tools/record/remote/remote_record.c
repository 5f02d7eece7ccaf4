/* SPDX-License-Identifier: MIT */
/* `bareperf record' and `stat', and the code that `attach' and `top' share with them: a run on a
 * machine that is already running, from its mailbox or from the run's middle to its file. One
 * process does it all; if it is killed, it leaves a journal. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/record/remote/remote.h"
#include "host-tools/record/remote/remote_ask.h"
#include "host-tools/record/remote/remote_recording.h"
#include "host-tools/region/mailbox.h"
#include "host-tools/session/session_host.h"
#include "host-tools/util/exit_status.h"
#include "host-tools/util/journal.h"

#define STOP_S 5.0 /* s for a workload to end after its events were stopped */

static bool is_recording(const struct remote_recording *r)
{
	return region_state(&r->link.region) == TR_RECORDING;
}

struct session_options remote_recording_options(struct remote_recording *r)
{
	struct session_options options = drive_session_options(&r->drive);

	options.journal = true;
	options.others_read = r->attached;
	return options;
}

int remote_recording_begin(struct remote_recording *r, struct error *error)
{
	struct session_options options = remote_recording_options(r);
	struct tr_header header;
	int code;

	region_header(&r->link.region, &header);
	if (r->drive.has_session || header.run == r->before || !header.events.count)
		return 0;
	code = session_begin(&r->drive.session, &r->link.region, &options, error);
	r->drive.has_session = !code;
	if (!code)
		code = drive_begin_output(&r->drive, error);
	progress_clear(&r->drive.progress); /* the wait is over: show the line at once */
	return code;
}

/* The machine may have begun another run, with other rings. */
static int check_run(struct remote_recording *r, struct error *error)
{
	struct tr_header header;

	region_header(&r->link.region, &header);
	if (!r->drive.has_session || header.run == r->drive.session.region.header.run)
		return 0;
	return error_set(error, -ESTALE,
	                 "the machine is at run %" PRIu64 " by now; the one to read was %" PRIu64,
	                 header.run, r->drive.session.region.header.run);
}

/* Another reader's rings are neither read nor given back. */
static int drain(struct remote_recording *r, struct error *error)
{
	uint64_t got = 0;
	int code;

	if (!region_lease_is_ours(&r->link.region))
		return error_set(
		    error, -EBUSY,
		    "another reader has taken the machine's rings, since this one gave no sign "
		    "of life for %g s",
		    TR_LEASE_LOST_MS / 1e3);
	code = progress_drain(&r->drive.progress, &r->drive.session, &got, error);
	r->link.is_looking = r->drive.session.has_more;
	if (got)
		remote_link_is_alive(&r->link);
	return code;
}

/* Whether the command was answered, or the attached run is over. The records that this promises are
 * there to be read. */
static bool has_ended(struct remote_recording *r, struct error *error)
{
	if (r->request)
		return remote_is_answered(&r->link, r->request, &r->status, error);
	return r->drive.has_session && !is_recording(r);
}

/* Ctrl-C stops the events of a run that this process started; its workload may then end. A run that
 * somebody else started continues. */
static int remote_interrupt(struct drive *drive, struct error *error)
{
	struct remote_recording *r = drive->context;
	uint32_t request;

	if (r->stopped)
		return progress_now() - r->stopped > STOP_S ? -EINTR : 0;
	if (r->attached || !is_recording(r))
		return -EINTR;
	r->stopped = progress_now();
	return mailbox_send(&r->link.region, "stop", &request, error);
}

/* 0: continue; 1: the run is over, and all of it is read; or a negative errno and the reason. */
static int look(struct remote_recording *r, struct error *error)
{
	struct drive *drive = &r->drive;
	bool ended;
	int code = drive->has_session ? 0 : remote_link_refresh(&r->link, error);

	if (code > 0)
		return 0;
	/* Read it first: the looks that follow then see all that the machine wrote before it. */
	ended = !code && has_ended(r, error);
	if (!code)
		code = remote_link_check(&r->link, error);
	if (!code && (ended || is_recording(r)))
		code = remote_recording_begin(r, error);
	if (!code)
		code = check_run(r, error);
	if (!code && drive->has_session)
		code = drain(r, error);
	if (!code && drive->has_session)
		code = drive_take_output(drive, error);
	if (drive->hurries)
		remote_link_is_alive(&r->link);
	return code ? code : ended && !(drive->has_session && drive->session.has_more);
}

static enum turn remote_look(struct drive *drive, struct error *error)
{
	int code = look(drive->context, error);

	drive->code = code < 0 ? code : 0;
	return code < 0 ? TURN_FAIL : code ? TURN_DONE : TURN_ON;
}

static void remote_wait(struct drive *drive)
{
	struct remote_recording *r = drive->context;

	remote_link_wait(&r->link);
}

static void remote_leave(struct drive *drive, enum turn turn)
{
	(void)turn;
	session_leave(&drive->session, drive->code);
}

/* Nobody knows the state of a silent machine. */
static void tell_how_to_come_back(const struct remote_recording *r, bool silent)
{
	bool watched = r->drive.top && !r->options.output.is_kept;

	if (!r->drive.session.leaves || (!r->drive.session.journal->path && !watched))
		return;
	if (r->stopped)
		say("the events of run %" PRIu64
		    " are stopped, but its workload continues: the machine takes no other command "
		    "before its end",
		    r->drive.session.region.header.run);
	else if (!silent && is_recording(r))
		say("the machine continues run %" PRIu64
		    ": from now on records are lost when its rings are full",
		    r->drive.session.region.header.run);
	say("resume with: bareperf %s --channel %s%s%s", r->drive.top ? "top" : "attach",
	    r->options.channel.url, watched ? "" : " -o ", watched ? "" : r->options.output.path);
}

/* The exit status for an error, as run's. */
static int failure_status(const struct remote_recording *r, int code)
{
	if (r->link.signal)
		return RUN_SIGNAL + r->link.signal;
	if (!r->drive.has_session)
		return r->refused ? RUN_REFUSED : RUN_ERROR;
	if (code == -ESTALE || code == -ETIMEDOUT || code == -EFAULT)
		return RUN_UNFINISHED;
	return RUN_ERROR;
}

static int report(struct remote_recording *r, int code, struct error *error)
{
	int status = drive_summary(&r->drive, 0);
	unsigned failed = r->drive.failed;

	if (r->drive.has_session) {
		progress_tell_what_fits(&r->drive.progress, &r->drive.session);
		tell_how_to_come_back(r, code == -ETIMEDOUT);
	}
	if (!code && r->status < 0) {
		r->refused = !r->drive.has_session;
		error_print(error);
		return r->status == -EFAULT && r->drive.has_session ? RUN_SIGNAL + SIGSEGV
		                                                    : failure_status(r, code);
	}
	if (r->drive.quits && !r->link.signal && (!code || code == -EINTR))
		return status ? status : failed ? RUN_ERROR : EXIT_OK;
	if (code) {
		if (*error->text)
			error_print(error);
		return failure_status(r, code);
	}
	if (r->link.signal)
		return RUN_SIGNAL + r->link.signal;
	if (!status && failed)
		status = RUN_ERROR;
	return status ? status : region_exit_status(&r->link.region);
}

void remote_recording_open(struct remote_recording *r, const struct remote_usage *usage, int argc,
                           char **argv)
{
	static const struct drive_machine operations = {
		.look = remote_look,
		.interrupt = remote_interrupt,
		.wait = remote_wait,
		.leave = remote_leave,
	};

	*r = (struct remote_recording){ 0 };
	remote_options_parse(&r->options, usage, argc, argv);
	r->drive = (struct drive){
		.machine = &operations,
		.context = r,
		.region = &r->link.region,
		.waiting = "waiting for the machine to begin",
		.output_options = &r->options.output,
		.guest = &r->options.guest,
		.image = r->options.image,
		.stat = r->options.stat,
		.json = r->options.json,
		.command = (const char *const *)(argv - 1),
		.command_words = argc + 1,
		.signal = &r->link.signal,
		.snapshot_wanted = &r->link.snapshot_wanted,
	};
	progress_start(&r->drive.progress);
}

int remote_recording_carry_out(struct remote_recording *r,
                               int (*begin_with)(struct remote_recording *r, struct error *error))
{
	struct drive *drive = &r->drive;
	struct error error = { "" };
	enum turn turn = TURN_FAIL;
	int status, code;

	drive->code = remote_link_open(&r->link, &r->options, &error);
	if (!drive->code)
		drive->code = begin_with(r, &error);
	if (!drive->code)
		turn = drive_loop(drive, &error);
	code = drive_finish(drive, turn, &error);
	code = drive->code ? drive->code : code;
	if (drive->top && !code && drive->has_session) { /* no end of the run to wait for */
		region_lease_give_back(&r->link.lease);
		top_browse(drive->top, r->link.signals, &r->link.signal);
	}
	top_restore(drive->top);
	status = report(r, code, &error);
	drive_close(drive);
	remote_link_close(&r->link);
	return status;
}

/* Open the file before the command is sent: if it cannot be written, no run is wasted. */
int remote_recording_send(struct remote_recording *r, struct error *error)
{
	struct tr_header header;
	int code = remote_link_acquire(&r->link, error);

	if (!code)
		code = remote_await_idle(&r->link, error);
	if (!code)
		code = perf_writer_open(&r->drive.output, session_host.output,
		                        r->options.output.path, r->options.output.preallocate,
		                        error);
	if (code)
		return code;
	region_header(&r->link.region, &header);
	r->before = header.run;
	code = remote_send(&r->link, &r->options, &r->request, error);
	r->refused = code == -EINVAL;
	return code;
}

int command_record(int argc, char **argv)
{
	static const struct remote_usage usages[] = {
		{ "record", "[OPTIONS...] -e EVENT... -- WORKLOAD",
		  "Record on a machine that waits for commands, and write the records to perf.data.\n"
		  "Options that are not in the list below are the machine's; see bareperf-record(1).",
		  true, true, false },
		{ "stat", "[OPTIONS...] -e EVENT... -- WORKLOAD",
		  "Count on a machine that waits for commands. Options that are not in the list below "
		  "are the machine's; see bareperf-stat(1).",
		  true, true, false },
	};
	struct remote_recording r;

	remote_recording_open(&r, &usages[!strcmp(argv[0], "stat")], argc, argv);
	return remote_recording_carry_out(&r, remote_recording_send);
}
