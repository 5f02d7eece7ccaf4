/* SPDX-License-Identifier: MIT */
/*
 * Shows the calls of a branch trace to a format of samples (export_tracks.h): one sample for each
 * time at which a CPU's stack of calls changes. Its weight is the time until the next one.
 */
#include <errno.h>
#include <stdlib.h>

#include "host-tools/report/branches/call_times.h"
#include "host-tools/report/export/export_tracks.h"
#include "host-tools/util/array.h"

#define PS_PER_NS 1000U

/* The stack of calls of a CPU. */
struct calls_line {
	uint32_t cpu;
	struct export_track track;
	uint32_t *nodes; /* by depth: number in places.nodes + 1 */
	uint32_t room;
	uint64_t since; /* ns: begin of the stack that is not written yet */
	uint32_t node;  /* of that stack + 1; 0: no function */
};

struct track_calls {
	struct export_tracks *tracks;
	struct call_times times;
	struct calls_line *lines;
	uint32_t line_count;
};

static struct calls_line *find_line(struct track_calls *calls, uint32_t cpu)
{
	struct calls_line *lines;
	uint32_t seen = calls->line_count, number;

	lines = array_of_cpu(calls->lines, &calls->line_count, sizeof(*lines), cpu, &number);
	if (!lines)
		return NULL;
	calls->lines = lines;
	if (number < seen)
		return &lines[number];
	lines[number].track.cpu = cpu;
	for (unsigned i = 0; i < EXPORT_LISTS; i++)
		lines[number].track.lists[i] = tmpfile();
	return &lines[number];
}

/* Write the line's stack, which lasted until now. */
static int put_stack(struct track_calls *calls, struct calls_line *line, uint64_t now)
{
	if (line->node && now > line->since) {
		for (unsigned i = 0; i < EXPORT_LISTS; i++) {
			if (!line->track.lists[i])
				return -ENOMEM;
			if (line->track.samples)
				putc(',', line->track.lists[i]);
		}
		calls->tracks->put_stack(&line->track, line->node - 1, line->since,
		                         now - line->since);
		line->track.samples++;
		line->track.time = line->since;
	}
	line->since = now;
	return 0;
}

/* The number of the stack with one more function, + 1. 0: memory is short. */
static uint32_t node_of(struct track_calls *calls, uint32_t around, uint32_t function)
{
	struct places *places = &calls->tracks->export->places;
	const struct symbol symbol = call_walk_symbol(&calls->times.walk, function);
	const uint32_t number =
	    intern(&places->functions, (uintptr_t)symbol.file, (uintptr_t)symbol.name);
	uint32_t node;

	if (number == INTERN_NONE)
		return 0;
	node = intern(&places->nodes, around, number);
	return node == INTERN_NONE ? 0 : node + 1;
}

static int show_moment(void *context, const struct call_moment *moment)
{
	struct track_calls *calls = context;
	struct calls_line *line = find_line(calls, moment->cpu);
	uint32_t *nodes;
	int code;

	if (!line)
		return -ENOMEM;
	nodes = array_reach(line->nodes, &line->room, moment->depth, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	line->nodes = nodes;
	code = put_stack(calls, line, moment->time / PS_PER_NS);
	line->node = moment->depth ? nodes[moment->depth - 1] : 0;
	if (code || moment->is_gap || moment->is_end)
		return code;
	line->node = node_of(calls, line->node, moment->function);
	nodes[moment->depth] = line->node;
	return line->node ? 0 : -ENOMEM;
}

int export_tracks_calls(struct export_tracks *tracks, struct error *error)
{
	struct track_calls calls = {
		.tracks = tracks,
		.times = { .walk.runs.file = tracks->export->file, .show = show_moment },
	};
	int code;

	tracks->event = NULL;
	calls.times.context = &calls;
	code = call_times_read(&calls.times, error);
	for (uint32_t i = 0; i < calls.line_count; i++) {
		struct calls_line *line = &calls.lines[i];

		if (!code) {
			code = tracks->finish(tracks, &line->track);
			if (code)
				error_set(error, code, "writing a temporary file failed");
		}
		for (unsigned list = 0; list < EXPORT_LISTS; list++) {
			if (line->track.lists[list])
				fclose(line->track.lists[list]);
		}
		free(line->nodes);
	}
	free(calls.lines);
	call_times_free(&calls.times);
	return code;
}
