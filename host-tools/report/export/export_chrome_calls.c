/* SPDX-License-Identifier: MIT */
/*
 * Writes the calls of a branch trace as slices on a time line: a process for all traces, a thread
 * for each CPU. Source: Trace Event Format, "Complete Events", "Instant Events", "Metadata Events".
 * Times are in microseconds with six decimals, so that no two calls that begin at different
 * instructions have the same time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/report/branches/call_times.h"
#include "host-tools/report/export/export_format.h"
#include "host-tools/report/html/html_json.h"
#include "host-tools/util/array.h"

#define PS_PER_US 1000000U

struct chrome_line {
	uint32_t cpu;
	uint64_t *starts; /* ps, by depth */
	uint32_t room;
	bool has_gap; /* a gap that a later moment must confirm: the trace's end is none */
	uint64_t gap;
};

struct chrome_calls {
	struct export *export;
	struct call_times times;
	struct chrome_line *lines;
	uint32_t line_count;
	char **names; /* by function, as JSON */
	uint32_t names_room;
	bool any; /* an event was written before */
};

static struct chrome_line *find_line(struct chrome_calls *calls, uint32_t cpu)
{
	struct chrome_line *lines;
	uint32_t number;

	lines = array_of_cpu(calls->lines, &calls->line_count, sizeof(*lines), cpu, &number);
	if (!lines)
		return NULL;
	calls->lines = lines;
	return &lines[number];
}

/* Get a function's name as JSON. NULL: memory ran out. */
static const char *name_of(struct chrome_calls *calls, uint32_t function)
{
	char **names = array_reach(calls->names, &calls->names_room, function, sizeof(*names));
	size_t size;
	FILE *out;

	if (!names)
		return NULL;
	calls->names = names;
	if (names[function])
		return names[function];
	out = open_memstream(&names[function], &size);
	if (!out)
		return NULL;
	html_json(out, html_text(call_times_name(&calls->times, function)));
	fclose(out);
	return names[function];
}

static void put_head(struct chrome_calls *calls, char phase, uint32_t cpu)
{
	fprintf(calls->export->out, "%s\n{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
	        calls->any ? "," : "", phase, calls->export->file->reader.event_count + 1, cpu);
	calls->any = true;
}

static void put_time(struct chrome_calls *calls, char phase, uint32_t cpu, uint64_t time)
{
	put_head(calls, phase, cpu);
	fprintf(calls->export->out, ",\"ts\":%" PRIu64 ".%06" PRIu64, time / PS_PER_US,
	        time % PS_PER_US);
}

static int put_gap(struct chrome_calls *calls, struct chrome_line *line)
{
	if (!line->has_gap)
		return 0;
	line->has_gap = false;
	put_time(calls, 'i', line->cpu, line->gap);
	fputs(",\"s\":\"t\",\"name\":\"gap in the trace\"}", calls->export->out);
	return 0;
}

static int show_moment(void *context, const struct call_moment *moment)
{
	struct chrome_calls *calls = context;
	struct chrome_line *line = find_line(calls, moment->cpu);
	const char *name = name_of(calls, moment->function);
	uint64_t *starts;

	if (!line || !name)
		return -ENOMEM;
	if (moment->is_gap) {
		line->has_gap = true;
		line->gap = moment->time;
		return 0;
	}
	starts = array_reach(line->starts, &line->room, moment->depth, sizeof(*starts));
	if (!starts)
		return -ENOMEM;
	line->starts = starts;
	if (!moment->is_end) {
		starts[moment->depth] = moment->time;
		return put_gap(calls, line);
	}
	if (starts[moment->depth] == moment->time)
		return 0; /* readers disagree about the slice around a slice without length */
	put_time(calls, 'X', moment->cpu, starts[moment->depth]);
	fprintf(calls->export->out, ",\"dur\":%.17g,\"name\":%s}",
	        (double)moment->time / PS_PER_US - (double)starts[moment->depth] / PS_PER_US, name);
	return 0;
}

static void put_name(struct chrome_calls *calls, uint32_t cpu, const char *kind, json_t *name)
{
	put_head(calls, 'M', cpu);
	fprintf(calls->export->out, ",\"name\":\"%s\",\"args\":{\"name\":", kind);
	html_json(calls->export->out, name);
	fputs("}}", calls->export->out);
}

int export_chrome_calls(struct export *export, bool is_first, struct error *error)
{
	struct chrome_calls calls = {
		.export = export,
		.times = { .walk.runs.file = export->file, .show = show_moment },
		.any = !is_first,
	};
	int code;

	calls.times.context = &calls;
	code = call_times_read(&calls.times, error);
	for (uint32_t i = 0; i < calls.line_count; i++) {
		put_name(&calls, calls.lines[i].cpu, "process_name",
		         json_string("calls; " CALL_TIMES_NOTE));
		put_name(&calls, calls.lines[i].cpu, "thread_name",
		         json_sprintf("CPU %u", (unsigned)calls.lines[i].cpu));
		free(calls.lines[i].starts);
	}
	free(calls.lines);
	for (uint32_t i = 0; i < calls.names_room; i++)
		free(calls.names[i]);
	free(calls.names);
	call_times_free(&calls.times);
	return code;
}
