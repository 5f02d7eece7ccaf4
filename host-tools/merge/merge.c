/* SPDX-License-Identifier: MIT */
/* `bareperf merge`: recordings of several machines as one perf.data. */
#include "host-tools/merge/merge.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/recount.h"
#include "host-tools/merge/merge_boards.h"
#include "host-tools/merge/merge_features.h"
#include "host-tools/merge/merge_record.h"
#include "host-tools/perfdata/perf_output_file.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"
#include "writer/session/perf_synth.h"

struct merge_options {
	const char *output;
	char **inputs;
	uint32_t count;
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "FILE", 0, "the merged file (default: perf.data)", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct merge_options *options = state->input;

	switch (key) {
	case 'o':
		if (!strcmp(arg, "-"))
			argp_error(state, "-o -: a merged recording is a file only");
		options->output = arg;
		return 0;
	case ARGP_KEY_ARGS:
		options->inputs = state->argv + state->next;
		options->count = (uint32_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (options->count < 2)
			argp_error(state, "which recordings? At least two");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[NAME=]FILE [NAME=]FILE...",
	.doc =
	    "Join the recordings of several machines in one perf.data. Each machine's name (its "
	    "file's, or NAME) precedes those of its threads: `perf report --sort comm,symbol'. "
	    "Its CPUs, processes and threads follow those of the machine before it; all begin at "
	    "the same time.\vExit status: 0 done, 1 error, 2 wrong usage, 3 records are "
	    "unaccounted for.",
};

static int merge_one(struct merge *merge, uint32_t i, struct perf_writer *writer,
                     struct error *error)
{
	struct perf_reader *reader = &merge->boards[i].reader;
	struct recount recount = { .ledger = &merge->ledger };
	struct perf_reader_record record;
	struct blob moved = { 0 };
	uint64_t offset = 0;
	int code;

	while ((code = perf_reader_next(reader, &offset, &record, error)) > 0 && !writer->failed) {
		uint64_t at = record.offset;

		code = merge_record(merge, i, record.header, &moved, error);
		if (code < 0) {
			error_prefix(error, code, "%s: record at offset 0x%" PRIx64,
			             merge->boards[i].path, at);
			break;
		}
		record.header = (const void *)moved.bytes;
		if (code > 0)
			recount_record(&recount, &record);
		if (code > 0)
			perf_writer_add(writer, moved.bytes, moved.size);
	}
	blob_free(&moved);
	if (!code && reader->cut)
		code = error_set(error, -EPROTO, "%s: the file ends before its records do",
		                 merge->boards[i].path);
	return code < 0 ? code : 0;
}

static int begin(struct perf_writer *writer, const struct region *region, const char *output,
                 struct error *error)
{
	struct perf_writer_event *events;
	uint64_t *ids;
	uint32_t count = perf_synth_events(region, &events, &ids);
	int code = perf_writer_open(writer, &perf_output_file, output, 0, error);

	if (!code)
		code = perf_writer_begin(writer, events, count, error);
	free(events);
	free(ids);
	return code;
}

static int finish(struct perf_writer *writer, const struct merge *merge,
                  const struct region *region, char **argv, int argc, struct error *error)
{
	struct perf_writer_feature features[PERF_FEATURES_MAX];
	struct perf_writer_end end = { .features = features };
	int code;

	end.feature_count =
	    merge_features(features, merge, region, (const char *const *)argv, argc);
	ledger_store(&merge->ledger, &end.ledger);
	code = perf_writer_finish(writer, &end, error);
	perf_features_free(features, end.feature_count);
	blob_free(&end.ledger);
	return code;
}

/* An incomplete merged file is deleted, and the older file is restored. */
static int write_merged(struct merge *merge, const struct region *region, const char *output,
                        char **argv, int argc, struct perf_writer *writer, struct error *error)
{
	int code = begin(writer, region, output, error);

	for (uint32_t i = 0; i < merge->count && !code; i++)
		code = merge_one(merge, i, writer, error);
	if (!code)
		return finish(writer, merge, region, argv, argc, error);
	writer->begun = false;
	perf_writer_abandon(writer);
	return code;
}

static void print_broken(void *context, bool holds, const char *line)
{
	(void)context;
	if (!holds)
		say("BROKEN %s", line);
}

/* perf's closing line, in perf's words. */
static int summary(const struct merge *merge, const struct perf_writer *writer, const char *output)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < merge->ledger.head.event_count; i++)
		samples += merge->ledger.events[i].found.samples;
	fprintf(stderr, "[ bareperf merge: wrote %.3f MB %s (%u machines, %" PRIu64 " samples) ]\n",
	        (double)perf_writer_size(writer) / 1e6, output, merge->count, samples);
	return check_conserved(&merge->ledger, print_broken, NULL) ? EXIT_OK : EXIT_NOT_CONSERVED;
}

int command_merge(int argc, char **argv)
{
	struct merge_options options = { .output = "perf.data" };
	struct merge merge = { 0 };
	struct region region = { 0 };
	struct perf_writer writer = { 0 };
	struct error error = { "" };
	int code, status = EXIT_ERROR;

	arguments_parse(&argp, argc, argv, "bareperf merge", &options);
	code = merge_open(&merge, options.inputs, options.count, &error);
	if (!code)
		code = merge_region(&merge, &region, &error);
	if (!code)
		code = write_merged(&merge, &region, options.output, argv, argc, &writer, &error);
	if (code)
		error_print(&error);
	else
		status = summary(&merge, &writer, options.output);
	region_close(&region);
	merge_close(&merge);
	return status;
}
