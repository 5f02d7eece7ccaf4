/* SPDX-License-Identifier: MIT */
/*
 * Shows the calls of a branch trace to a format of samples (export_tracks.h): one sample for each
 * time at which a CPU's stack of calls changes. Its weight is the time until the next one.
 */
#include <errno.h>
#include <stdlib.h>

#include "host-tools/report/branches/call_stacks.h"
#include "host-tools/report/export/export_tracks.h"
#include "host-tools/util/array.h"

struct calls_line {
	uint32_t cpu;
	struct export_track track;
};

struct track_calls {
	struct export_tracks *tracks;
	struct call_stacks stacks;
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

static int put_slice(void *context, const struct call_stacks_slice *slice)
{
	struct track_calls *calls = context;
	struct calls_line *line = find_line(calls, slice->cpu);

	if (!line)
		return -ENOMEM;
	for (unsigned i = 0; i < EXPORT_LISTS; i++) {
		if (!line->track.lists[i])
			return -ENOMEM;
		if (line->track.samples)
			putc(',', line->track.lists[i]);
	}
	calls->tracks->put_stack(&line->track, slice->node, slice->since, slice->length);
	line->track.samples++;
	line->track.time = slice->since;
	return 0;
}

int export_tracks_calls(struct export_tracks *tracks, struct error *error)
{
	struct track_calls calls = {
		.tracks = tracks,
		.stacks = { .times.walk.runs.file = tracks->export->file,
		            .places = &tracks->export->places,
		            .put = put_slice },
	};
	int code;

	tracks->event = NULL;
	calls.stacks.context = &calls;
	code = call_stacks_read(&calls.stacks, error);
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
	}
	free(calls.lines);
	call_stacks_free(&calls.stacks);
	return code;
}
