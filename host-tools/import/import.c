/* SPDX-License-Identifier: MIT */
/* `bareperf import`: turns a memory dump's recording into the perf.data that a reader beside the
 * machine would have written. */
#include "host-tools/import/import.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/record/command/guest_crash.h"
#include "host-tools/record/command/guest_output.h"
#include "host-tools/record/command/guest_summary.h"
#include "host-tools/region/channel_file_argp.h"
#include "host-tools/session/output_options.h"
#include "host-tools/session/session_host.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"
#include "writer/region/region_salvage.h"
#include "writer/session/session.h"

struct import_options {
	const char *input;
	struct output_options output;
	const char *payload;
	struct channel_file_options pick;
	bool again;
	bool reset;
};

enum { KEY_AGAIN = 256, KEY_RESET, KEY_PAYLOAD };

static const struct argp_option argp_options[] = {
	OUTPUT_OPTIONS,
	{ "again", KEY_AGAIN, NULL, 0, "also take records that a reader has already read", 0 },
	{ "reset", KEY_RESET, NULL, 0, "after a reset: take only data that was in memory then", 0 },
	{ "payload", KEY_PAYLOAD, "FILE", 0, "the ELF file of the program that ran", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct import_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->pick;
		return 0;
	case KEY_AGAIN:
		options->again = true;
		return 0;
	case KEY_RESET:
		options->reset = true;
		return 0;
	case KEY_PAYLOAD:
		options->payload = arg;
		return 0;
	default:
		if (output_option_parse(key, arg, state, &options->output) == 0)
			return 0;
		return one_file_parse(key, arg, state, NULL, &options->input);
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.children = (const struct argp_child[]){ { &channel_file_argp, 0, NULL, 0 }, { 0 } },
	.args_doc = "FILE",
	.doc =
	    "Write the recording in FILE as perf.data: all records that no reader had read when "
	    "FILE was made. FILE is a trace region, or a memory dump that contains one: raw "
	    "(QEMU's pmemsave), an ELF core (dump-guest-memory) or a kdump (dump-guest-memory "
	    "-z, makedumpfile).\vExit status: 0 done, 1 error, 2 wrong usage, 3 records or bytes "
	    "are unaccounted for, 4 the machine did not complete its run.",
};

/* Look for an earlier reader. Report the bytes that it has read, which cannot be read again, and
 * set *joined. */
static int look_back(struct region *region, bool again, bool *joined, struct error *error)
{
	for (uint32_t i = 0; i < region->header.rings.count; i++) {
		struct region_positions at;
		int code = again ? region_rewind(region, i, error) : 0;

		if (code < 0)
			return code;
		region_positions(region, i, &at);
		if (region->rings[i].flags & TR_RING_BACKWARD || !at.data_tail)
			continue;
		*joined = true;
		say("ring %u: 0x%" PRIx64 " bytes had been read before, and are not here%s", i,
		    at.data_tail,
		    again                                        ? ": they are written over"
		    : at.data_head <= region->rings[i].data_size ? "; --again reads them, too"
		                                                 : "");
	}
	return 0;
}

/* Print the state in which the machine ended. */
static void tell_end(const struct region *region)
{
	uint32_t state = region_state(region);
	char message[1024];
	uint64_t from = 0;
	char *text;

	region_message(region, message);
	if (state == TR_PANIC) {
		text = region_console(region, &from);
		fputs(text ? text : "", stderr);
		free(text);
	}
	if (state == TR_PANIC || state == TR_FAILED)
		say("the machine %s: %s", state == TR_PANIC ? "panicked" : "failed",
		    *message ? message : "it does not say why");
	else if (state != TR_COMPLETE && state != TR_IDLE)
		say("the machine did not come to the end of its run: its state is %s, its "
		    "heartbeat %" PRIu64,
		    region_state_name(state), region->header.heartbeat);
}

static int open_region(struct channel *channel, struct region *region,
                       const struct import_options *options, bool *joined, struct error *error)
{
	int code = channel_open_file(channel, options->input, &options->pick, error);

	if (code)
		return code;
	code = region_open(region, channel, error);
	if (!code)
		code = region_load(region, error);
	if (!code && (!region->header.run || !region->header.events.count))
		code = error_set(error, -ENODATA, "nothing was recorded: the machine's state is %s",
		                 region_state_name(region_state(region)));
	if (!code && options->reset)
		code = region_salvage(region, error);
	if (!code)
		code = look_back(region, options->again, joined, error);
	return code ? error_prefix(error, code, "%s", options->input) : 0;
}

static int status_of(const struct session *session, const char *output)
{
	if (guest_summary(session, output, 0))
		return EXIT_NOT_CONSERVED;
	return ledger_ended(&session->ledger) ? EXIT_OK : EXIT_UNFINISHED;
}

/* Print the program's output. */
static void print_output(const struct region *region, const struct import_options *options,
                         struct error *error)
{
	struct guest_output output;

	guest_output_begin(&output, region, output_is_stream(&options->output), options->again);
	guest_output_show(&output, NULL, -1, error);
	guest_output_end(&output);
}

static int import(struct region *region, const struct import_options *options,
                  struct session_options *to, struct error *error)
{
	struct session session;
	int code = session_begin(&session, region, to, error), status;

	if (code == -EPROTO &&
	    to->others_read) { /* the ledger is older than the reader's last records */
		error_print(error);
		to->others_read = false;
		code = session_begin(&session, region, to, error);
	}
	if (code)
		return code;
	code = session_finish(&session, false, error);
	print_output(&session.region, options, error);
	tell_end(&session.region);
	guest_crash(&session, options->output.all_frames, stderr);
	status = status_of(&session, options->output.path);
	session_end(&session);
	return code ? code : status;
}

int command_import(int argc, char **argv)
{
	struct import_options options = { .output.path = "perf.data", .pick = CHANNEL_ANY_FILE };
	struct session_options to = {
		.host = &session_host,
		.command = (const char *const *)argv,
		.command_words = argc,
	};
	struct channel channel = { 0 };
	struct region region = { 0 };
	struct error error = { "" };
	int code;

	arguments_parse(&argp, argc, argv, "bareperf import", &options);
	to.output = options.output.path;
	to.preallocate = options.output.preallocate;
	to.symbols = options.output.symbols;
	to.e_machine = options.output.e_machine;
	to.payload = options.payload;
	to.buildid_cache = !options.output.no_buildid_cache;
	code = open_region(&channel, &region, &options, &to.others_read, &error);
	if (!code)
		code = import(&region, &options, &to, &error);
	if (code < 0)
		error_print(&error);
	else
		output_cache_symbols(&options.output);
	region_close(&region);
	channel_close(&channel);
	return code < 0 ? EXIT_ERROR : code;
}
