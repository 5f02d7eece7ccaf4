/* SPDX-License-Identifier: MIT */
/* `bareperf record' and `stat', and what `attach' and `top' share with them: a run on a machine
 * that we did not start, from its mailbox or from its middle to its file. One process does it all;
 * who kills it leaves a journal.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/record/command/guest_crash.h"
#include "host-tools/record/command/guest_stat.h"
#include "host-tools/record/command/guest_summary.h"
#include "host-tools/record/remote/remote.h"
#include "host-tools/record/remote/remote_ask.h"
#include "host-tools/record/remote/remote_recording.h"
#include "host-tools/region/mailbox.h"
#include "host-tools/util/exit_status.h"

#define LAST_MS 1000 /* for what the program has printed, after Ctrl-C */
#define STOP_S  5.0  /* for a workload to end after its events were stopped */

static bool is_recording(const struct recording *r)
{
	return region_state(&r->link.region) == TR_RECORDING;
}

struct session_options recording_options(struct recording *r)
{
	return (struct session_options){
		.buildid_cache = !r->options.output.no_buildid_cache && !r->options.stat,
		.output = r->options.output.path,
		.e_machine = r->options.output.e_machine,
		.writer = r->output.output ? &r->output : NULL,
		.symbols = r->options.output.symbols,
		.booted = r->options.image,
		.command = r->command,
		.command_words = r->command_words,
		.journal = true,
		.join = r->attached,
		.see = r->top ? top_see : NULL,
		.see_context = r->top,
	};
}

int recording_begin_output(struct recording *r, struct error *error)
{
	bool aside = output_is_stream(&r->options.output) || r->options.json || r->top;

	guest_output_begin(&r->printed, &r->link.region, aside, false);
	guest_fetch_begin(&r->fetch, &r->options.guest, &r->link.region);
	return r->top ? top_begin(r->top, &r->session, error) : 0;
}

static int take_output(struct recording *r, struct error *error)
{
	bool moved = false;
	int code = guest_output_show(&r->printed, &r->progress, 0, error);

	if (!code)
		code = guest_fetch_take(&r->fetch, &moved, error);
	if (moved)
		remote_link_is_alive(&r->link);
	return code;
}

int recording_begin(struct recording *r, struct error *error)
{
	struct session_options options = recording_options(r);
	struct tr_header header;
	int code;

	region_header(&r->link.region, &header);
	if (r->has_session || header.run == r->before || !header.events.count)
		return 0;
	code = session_begin(&r->session, &r->link.region, &options, error);
	r->has_session = !code;
	if (!code)
		code = recording_begin_output(r, error);
	progress_clear(&r->progress); /* what waited is over: a line at once */
	return code;
}

/* The machine may be at another run by now, with other rings. */
static int check_run(struct recording *r, struct error *error)
{
	struct tr_header header;

	region_header(&r->link.region, &header);
	if (!r->has_session || header.run == r->session.region.header.run)
		return 0;
	return error_set(error, -ESTALE,
	                 "the machine is at run %" PRIu64 " by now, and ours was %" PRIu64,
	                 header.run, r->session.region.header.run);
}

/* Nothing is read, or given back, that is another's. */
static int drain(struct recording *r, struct error *error)
{
	uint64_t got = 0;
	int code;

	if (!region_lease_is_ours(&r->link.region))
		return error_set(error, -EBUSY,
		                 "another reader has taken the machine's rings, as we gave no sign "
		                 "of life for %g s",
		                 TR_LEASE_LOST_MS / 1e3);
	code = progress_drain(&r->progress, &r->session, &got, error);
	if (got || r->session.has_more)
		remote_link_is_alive(&r->link);
	return code;
}

/* Whether the command was answered, or the run that was joined is over. What it promises is there
 * to be read. */
static bool has_ended(struct recording *r, struct error *error)
{
	if (r->request)
		return remote_is_answered(&r->link, r->request, &r->status, error);
	return r->has_session && !is_recording(r);
}

/* What is seen of it, as long as it goes on. */
static void show(struct recording *r)
{
	static const char waiting[] = "waiting for the machine to begin";

	if (r->top)
		r->quits |= top_turn(r->top, waiting) == TOP_QUIT;
	else if (!r->has_session)
		progress_wait(&r->progress, waiting);
}

/* Ctrl-C: its events are stopped, and its workload may end; a run that we joined goes on. */
static int obey_signal(struct recording *r, struct error *error)
{
	bool wanted = r->link.signal || r->quits;
	uint32_t request;

	if (r->stopped && progress_now() - r->stopped > STOP_S)
		return -EINTR;
	if (!wanted || r->stopped)
		return 0;
	if (r->attached || !is_recording(r))
		return -EINTR;
	r->stopped = progress_now();
	return mailbox_send(&r->link.region, "stop", &request, error);
}

static int turn(struct recording *r, struct error *error)
{
	bool ended;
	int code = r->has_session ? 0 : channel_refresh(&r->link.channel, error);

	if (code > 0)
		return 0;
	/* Asked first: what the machine wrote before it is seen by the looks that follow. */
	ended = !code && has_ended(r, error);
	if (!code)
		code = remote_link_check(&r->link, error);
	if (!code && (ended || is_recording(r)))
		code = recording_begin(r, error);
	if (!code)
		code = check_run(r, error);
	if (!code && r->has_session)
		code = drain(r, error);
	if (!code && r->has_session)
		code = take_output(r, error);
	if (!code)
		r->is_over = ended && !(r->has_session && r->session.has_more);
	return code;
}

static int loop(struct recording *r, struct error *error)
{
	int code = 0;

	while (!code && !r->is_over) {
		code = turn(r, error);
		if (code || r->is_over)
			break;
		show(r);
		if (r->link.snapshot_wanted && r->has_session) {
			r->link.snapshot_wanted = false;
			session_ask_for_snapshot(&r->session);
		}
		remote_link_wait(&r->link);
		code = obey_signal(r, error);
	}
	return code;
}

/* Whatever ended the loop, what was recorded until then is a file. */
static int finish(struct recording *r, int code, struct error *error)
{
	struct error reason = { "" };
	int finished;

	if (!r->has_session)
		return code;
	session_leave(&r->session, code);
	finished = session_finish(&r->session, !r->is_over, &reason);
	if (!r->session.is_gone) {
		struct error ignored = { "" };

		take_output(r, &ignored);
		guest_output_show(&r->printed, &r->progress, r->link.signal ? LAST_MS : -1,
		                  &ignored);
	}
	progress_clear(&r->progress);
	if (r->top)
		top_end(r->top);
	output_cache_symbols(&r->options.output);
	if (!code && finished) {
		*error = reason;
		code = finished;
	}
	return code;
}

/* Of a machine that is silent nobody knows what it does. */
static void tell_how_to_come_back(const struct recording *r, bool silent)
{
	bool watched = r->top && !r->options.output.is_kept;

	if (!r->session.leaves || (!r->session.journal.path && !watched))
		return;
	if (r->stopped)
		say("the events of run %" PRIu64
		    " are stopped, but its workload goes on: the machine takes no other command "
		    "before its end",
		    r->session.region.header.run);
	else if (!silent && is_recording(r))
		say("the machine goes on with run %" PRIu64
		    ": what its rings have no room for is lost from now on",
		    r->session.region.header.run);
	say("come back with: bareperf %s --channel %s%s%s", r->top ? "top" : "attach",
	    r->options.url, watched ? "" : " -o ", watched ? "" : r->options.output.path);
}

/* What stands in our exit status where something went wrong, as run's. */
static int failure_status(const struct recording *r, int code)
{
	if (r->link.signal)
		return RUN_SIGNAL + r->link.signal;
	if (!r->has_session)
		return r->refused ? RUN_REFUSED : RUN_ERROR;
	if (code == -ESTALE || code == -ETIMEDOUT || code == -EFAULT)
		return RUN_UNFINISHED;
	return RUN_ERROR;
}

static int report(struct recording *r, int code, struct error *error)
{
	unsigned failed = guest_fetch_end(&r->fetch);
	struct error reason;
	int status = EXIT_OK;

	guest_output_end(&r->printed);
	if (top_failure(r->top, &reason)) {
		error_print(&reason);
		failed++;
	}
	if (r->has_session && r->options.stat)
		status = guest_stat(&r->session.ledger, &r->session.region, &r->options.guest,
		                    r->options.json);
	else if (r->has_session)
		status = guest_summary(
		    &r->session, r->options.output.is_kept ? r->options.output.path : NULL, 0);
	if (r->has_session) {
		guest_crash(&r->session, r->options.output.all_frames, stderr);
		progress_tell_what_fits(&r->progress, &r->session);
		tell_how_to_come_back(r, code == -ETIMEDOUT);
	}
	if (!code && r->status < 0) {
		r->refused = !r->has_session;
		error_print(error);
		return r->status == -EFAULT && r->has_session ? RUN_SIGNAL + SIGSEGV
		                                              : failure_status(r, code);
	}
	if (r->quits && !r->link.signal && (!code || code == -EINTR))
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

void recording_open(struct recording *r, const struct remote_usage *usage, int argc, char **argv)
{
	*r = (struct recording){
		.command = (const char *const *)(argv - 1),
		.command_words = argc + 1,
	};
	remote_options_parse(&r->options, usage, argc, argv);
	progress_start(&r->progress);
}

static void close_recording(struct recording *r)
{
	top_close(r->top);
	if (r->has_session)
		session_end(&r->session);
	perf_writer_abandon(&r->output);
	remote_link_close(&r->link);
}

int recording_carry_out(struct recording *r,
                        int (*begin_with)(struct recording *r, struct error *error))
{
	struct error error = { "" };
	int status, code = remote_link_open(&r->link, &r->options, &error);

	if (!code)
		code = begin_with(r, &error);
	if (!code)
		code = loop(r, &error);
	code = finish(r, code, &error);
	if (r->top && !code && r->has_session) { /* there is nobody to wait for any more */
		region_lease_give_back(&r->link.lease);
		top_browse(r->top, r->link.signals, &r->link.signal);
	}
	top_restore(r->top);
	status = report(r, code, &error);
	close_recording(r);
	return status;
}

/* The file is there before the command is sent, so that one that cannot be written costs no run. */
int recording_send(struct recording *r, struct error *error)
{
	struct tr_header header;
	int code = remote_link_acquire(&r->link, error);

	if (!code)
		code = remote_await_idle(&r->link, error);
	if (!code)
		code = perf_writer_open(&r->output, r->options.output.path,
		                        r->options.output.preallocate, error);
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
		  "Record on a machine that waits for commands, and write what it records to perf.data.\n"
		  "Options that are not in the list below are the machine's; see bareperf-record(1).",
		  true, true, false },
		{ "stat", "[OPTIONS...] -e EVENT... -- WORKLOAD",
		  "Count on a machine that waits for commands. Options that are not in the list below "
		  "are the machine's; see bareperf-stat(1).",
		  true, true, false },
	};
	struct recording r;

	recording_open(&r, &usages[!strcmp(argv[0], "stat")], argc, argv);
	return recording_carry_out(&r, recording_send);
}
