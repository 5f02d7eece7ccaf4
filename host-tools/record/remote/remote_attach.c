/* SPDX-License-Identifier: MIT */
/* `bareperf attach': read a run that has already begun, or resume a run whose reader was left or
 * killed. Also `top', which does the same if it has no command of its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/record/remote/remote.h"
#include "host-tools/record/remote/remote_recording.h"
#include "host-tools/util/journal.h"
#include "writer/region/region_salvage.h"

/* Whether a journal of this run is beside the output. -ESTALE: the journal is of another run. */
static int find_journal(struct remote_recording *r, bool *found, struct error *error)
{
	char *real = realpath(r->options.output.path, NULL);
	char *path = output_is_stream(&r->options.output)
	                 ? NULL
	                 : journal_path(real ? real : r->options.output.path);
	struct error ignored = { "" };
	struct journal_key key;
	struct tr_header header;
	int code = 0;

	region_header(&r->link.region, &header);
	*found = path && !journal_look(path, &key, &ignored);
	if (*found && (key.nonce != header.nonce || key.run != header.run))
		code =
		    error_set(error, -ESTALE,
		              "%s is of %s, whose end is lost; what was read until then is in %s. "
		              "Name another file with -o",
		              path, key.nonce == header.nonce ? "an earlier run" : "another boot",
		              r->options.output.path);
	free(real);
	free(path);
	return code;
}

static int attach(struct remote_recording *r, struct error *error)
{
	struct session_options options;
	struct tr_header header;
	bool found;
	int code = remote_link_acquire(&r->link, error);

	if (!code)
		code = find_journal(r, &found, error);
	if (code)
		return code;
	options = remote_recording_options(r);
	if (found) {
		code = session_resume(&r->drive.session, &r->link.region, &options, error);
		r->drive.has_session = !code;
		return code ? code : drive_begin_output(&r->drive, error);
	}
	region_header(&r->link.region, &header);
	if (!header.run || !header.events.count)
		return error_set(error, -ENOENT,
		                 "there is nothing to read: the machine has recorded nothing since "
		                 "it was started");
	if (region_is_read_out(&r->link.region))
		return error_set(error, -ENODATA,
		                 "run %" PRIu64
		                 " is over, and has been read to its end: its "
		                 "recording is in the file that its last reader wrote, and %s was "
		                 "left as it is",
		                 header.run, r->options.output.path);
	return remote_recording_begin(r, error);
}

int command_attach(int argc, char **argv)
{
	static const struct remote_usage usage = {
		"attach",
		"-o FILE",
		"Read a running recording until it ends or until Ctrl-C. Resume one that "
		"was left, or whose reader was killed, with the same FILE.",
		true,
		false,
		false
	};
	struct remote_recording r;

	remote_recording_open(&r, &usage, argc, argv);
	r.attached = true;
	return remote_recording_carry_out(&r, attach);
}

/* ---- top ---- */

/* Without a command for the machine, watch a recording that somebody else started. */
static int begin_to_watch(struct remote_recording *r, struct error *error)
{
	static char record[] = "record";

	r->drive.top = top_open(&r->options.top, error);
	if (!r->drive.top)
		return -ENOTTY;
	r->options.guest.words[0] = record;
	r->attached = r->options.guest.count == 1;
	if (r->attached && region_state(&r->link.region) != TR_RECORDING)
		return error_set(
		    error, -ENOENT,
		    "the machine records nothing that could be watched: add a command for "
		    "it, as for `bareperf record'");
	return r->attached ? attach(r, error) : remote_recording_send(r, error);
}

int command_top(int argc, char **argv)
{
	static const struct remote_usage usage = {
		"top",
		"[[OPTIONS...] -e EVENT... -- WORKLOAD]",
		"Show live where a machine's events happen: in a recording that already runs, or in a "
		"new one, if there are options and a workload for the machine as with `bareperf "
		"record'.",
		true,
		true,
		true
	};
	struct remote_recording r;

	remote_recording_open(&r, &usage, argc, argv);
	r.drive.progress.shown = false;
	r.drive.progress.disk_reported = !r.options.output.is_kept;
	return remote_recording_carry_out(&r, begin_to_watch);
}
