/* SPDX-License-Identifier: MIT */
/* `bareperf flamegraph`: draws a recording's callchains as a picture. */
#include "host-tools/report/flame/flamegraph.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/flame/flame.h"
#include "host-tools/report/frames.h"
#include "host-tools/report/symbols/inlines.h"
#include "host-tools/report/view.h"
#include "host-tools/util/arguments.h"
#include "writer/perfdata/sample.h"

struct flamegraph_options {
	struct view_options view; /* event NULL: the event with the most samples */
	const char *title;        /* NULL: the event's name */
	bool folded;
};

static const struct argp_option argp_options[] = {
	VIEW_ARGP_OPTIONS("draw this event (default: the one with the most samples)"),
	{ "title", 't', "TEXT", 0, "the title (default: the event's name)", 0 },
	{ "folded", 'f', NULL, 0, "write folded stacks as text instead of a picture", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct flamegraph_options *options = state->input;

	switch (key) {
	case 't':
		options->title = arg;
		return 0;
	case 'f':
		options->folded = true;
		return 0;
	default:
		return view_parse(key, arg, state, &options->view);
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "[FILE]",
	.doc =
	    "Draw the callchains of FILE (default: perf.data) as a flame graph: one SVG file "
	    "with search and zoom.\vExit status: 0 done, 1 error, 2 wrong usage.",
};

struct stacks {
	const struct flamegraph_options *options;
	struct flame flame;
	struct symbols *symbols;
	struct inlines inlines;
	const struct perf_reader_event *event; /* the drawn event */
	bool by_period;
};

/* Append the function at an address, and the functions inlined there, to names from index count on.
 * Returns the new count. */
static uint32_t add_names(struct stacks *stacks, uint64_t address, const char *names[FRAMES_MAX],
                          uint32_t count)
{
	const char *inlined[LINES_INLINED] = { NULL }; /* cppcheck cannot follow the count */
	uint32_t depth = 0;

	if (!stacks->options->view.no_inline)
		depth = inlines_find(&stacks->inlines, symbols_elf(stacks->symbols, address),
		                     symbols_find(stacks->symbols, address).offset, inlined);
	if (count < FRAMES_MAX)
		names[count++] = symbols_name(stacks->symbols, address);
	while (depth-- && count < FRAMES_MAX)
		names[count++] = inlined[depth];
	return count;
}

/* Second pass: add the stacks of the chosen event. */
static int visit_samples(void *context, struct perf_reader *reader,
                         const struct perf_event_header *record)
{
	struct stacks *stacks = context;
	const struct perf_event_attr *attr = &stacks->event->attr;
	const char *names[FRAMES_MAX];
	uint64_t frames[FRAMES_MAX];
	struct sample sample;
	uint32_t count, depth = 0, first = 0;

	if (record->type != PERF_RECORD_SAMPLE ||
	    perf_reader_event_of(reader, record) != stacks->event ||
	    !sample_parse(record, attr, &sample))
		return 0;
	count = frames_then(stacks->symbols, &sample, frames);
	if (!stacks->options->view.all_frames)
		first = frames_ours(stacks->symbols, frames, count);
	for (uint32_t i = first; i < count; i++)
		depth = add_names(stacks, frames[i], names, depth);
	flame_add(&stacks->flame, names, depth, stacks->by_period ? sample.period : 1);
	return stacks->flame.failed;
}

static int write_picture(void *context, FILE *out, struct error *error)
{
	const struct stacks *stacks = context;
	const struct flamegraph_options *options = stacks->options;
	const char *unit = !stacks->by_period                    ? "samples"
	                   : perf_reader_is_clock(stacks->event) ? "ns"
	                                                         : stacks->event->name;
	char title[256];

	(void)error;
	snprintf(title, sizeof(title), "%s", options->title ? options->title : stacks->event->name);
	if (options->folded)
		flame_fold(&stacks->flame, out);
	else
		flame_draw(&stacks->flame, title, unit, out);
	return 0;
}

static int draw(void *context, struct recording_file *recording, struct error *error)
{
	const struct flamegraph_options *options = context;
	struct stacks stacks = { .options = options, .symbols = recording->symbols };
	int code = recording_file_event(recording, options->view.event, &stacks.event, error);

	if (code)
		return code;
	stacks.by_period = stacks.event->attr.sample_type & PERF_SAMPLE_PERIOD;
	code = recording_file_walk(recording, visit_samples, &stacks, error);
	if (!code)
		code = view_write(recording, options->view.output, write_picture, &stacks, error);
	flame_free(&stacks.flame);
	inlines_free(&stacks.inlines);
	return code;
}

int command_flamegraph(int argc, char **argv)
{
	struct flamegraph_options options = { 0 };

	arguments_parse(&argp, argc, argv, "bareperf flamegraph", &options);
	return view_recording(options.view.input, &options.view.search, draw, &options);
}
