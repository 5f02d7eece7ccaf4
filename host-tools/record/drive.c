/* SPDX-License-Identifier: MIT */
#include "host-tools/record/drive.h"

#include <errno.h>

#include "host-tools/record/command/guest_crash.h"
#include "host-tools/record/command/guest_stat.h"
#include "host-tools/record/command/guest_summary.h"
#include "host-tools/session/session_host.h"
#include "host-tools/util/exit_status.h"

#define LAST_MS 1000 /* ms to show the rest of the program's output after Ctrl-C */

struct session_options drive_session_options(struct drive *drive)
{
	const struct output_options *output = drive->output_options;

	return (struct session_options){
		.host = &session_host,
		.buildid_cache = !output->no_buildid_cache && !drive->stat,
		.output = output->path,
		.e_machine = output->e_machine,
		.writer = drive->output.output ? &drive->output : NULL,
		.symbols = output->symbols,
		.booted = drive->image,
		.see = drive->top ? top_see : NULL,
		.see_context = drive->top,
		.command = drive->command,
		.command_words = drive->command_words,
	};
}

int drive_begin_output(struct drive *drive, struct error *error)
{
	bool aside = output_is_stream(drive->output_options) || drive->json || drive->top;

	guest_output_begin(&drive->printed, drive->region, aside, false);
	guest_fetch_begin(&drive->fetch, drive->guest, drive->region);
	return drive->top ? top_begin(drive->top, &drive->session, error) : 0;
}

int drive_take_output(struct drive *drive, struct error *error)
{
	int code = guest_output_show(&drive->printed, &drive->progress, 0, error);

	return code ? code : guest_fetch_take(&drive->fetch, &drive->hurries, error);
}

static void drive_show(struct drive *drive)
{
	if (drive->top)
		drive->quits |= top_turn(drive->top, drive->waiting) == TOP_QUIT;
	else if (!drive->has_session && drive->waiting)
		progress_wait(&drive->progress, drive->waiting);
}

static void drive_ask_for_snapshot(struct drive *drive)
{
	if (!*drive->snapshot_wanted || !drive->has_session)
		return;
	*drive->snapshot_wanted = false;
	session_ask_for_snapshot(&drive->session);
}

enum turn drive_loop(struct drive *drive, struct error *error)
{
	enum turn turn;

	while ((turn = drive->machine->look(drive, error)) == TURN_ON) {
		drive_show(drive);
		drive_ask_for_snapshot(drive);
		drive->machine->wait(drive);
		if (*drive->signal || drive->quits) {
			drive->code = drive->machine->interrupt(drive, error);
			if (drive->code)
				return TURN_FAIL;
		}
	}
	return turn;
}

/* Take the rest of the program's output and files. After Ctrl-C the user does not wait for all of
 * it. */
static void drive_take_last_output(struct drive *drive)
{
	struct error ignored = { "" };
	int code;

	do
		code = drive_take_output(drive, &ignored);
	while (!code && drive->hurries);
	guest_output_show(&drive->printed, &drive->progress, *drive->signal ? LAST_MS : -1,
	                  &ignored);
}

int drive_finish(struct drive *drive, enum turn turn, struct error *error)
{
	struct error reason = { "" };
	int code;

	if (!drive->has_session)
		return 0;
	drive->machine->leave(drive, turn);
	code = session_finish(&drive->session, turn != TURN_DONE, &reason);
	drive->recorded = true;
	if (!drive->session.is_gone)
		drive_take_last_output(drive);
	progress_clear(&drive->progress);
	if (drive->top)
		top_end(drive->top);
	if (!drive->stat)
		output_cache_symbols(drive->output_options);
	if (turn == TURN_DONE && code)
		*error = reason;
	return turn == TURN_DONE ? code : 0;
}

int drive_summary(struct drive *drive, unsigned replaced)
{
	const struct output_options *output = drive->output_options;
	struct error reason;
	int status = EXIT_OK;

	drive->failed = guest_fetch_end(&drive->fetch);
	guest_output_end(&drive->printed);
	if (top_failure(drive->top, &reason)) {
		error_print(&reason);
		drive->failed++;
	}
	if (!drive->recorded)
		return EXIT_OK;
	/* An interrupted stat too: the user wants the counts until then. */
	if (drive->stat)
		status = guest_stat(&drive->session.ledger, &drive->session.region, drive->guest,
		                    drive->json);
	else
		status =
		    guest_summary(&drive->session, output->is_kept ? output->path : NULL, replaced);
	guest_crash(&drive->session, output->all_frames, stderr);
	return status;
}

void drive_close(struct drive *drive)
{
	top_close(drive->top);
	if (drive->has_session)
		session_end(&drive->session);
	perf_writer_abandon(&drive->output);
}
