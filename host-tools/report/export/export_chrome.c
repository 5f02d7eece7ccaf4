/* SPDX-License-Identifier: MIT */
/*
 * Writes slices on a time line: a process for each event, a thread for each CPU. Source: Trace
 * Event Format, "JSON Array Format", "Complete Events", "Metadata Events"; times are in
 * microseconds.
 *
 * A sample represents the time since the sample before it; for the clock's event, the time of its
 * PERIOD before the sample. A function that stays on the stack from one sample to the next is one
 * slice. The slices are complete events, because Chrome's own reader pairs the begin of one thread
 * with the end of another thread.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "host-tools/report/export/export_format.h"
#include "host-tools/report/html/html_json.h"
#include "host-tools/report/stat/mark_regions.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/mark_text.h"

#define NS_PER_US 1000U

/* The open slices of a thread. */
struct chrome_thread {
	uint64_t until; /* end of its last slice; 0: none */
	uint64_t starts[FRAMES_MAX];
	uint32_t stack[FRAMES_MAX], depth;
};

struct chrome {
	struct export *export;
	struct mark_regions marks;
	uint64_t last;         /* time of the last sample */
	struct intern threads; /* a: event, b: CPU */
	struct chrome_open {
		struct chrome_thread *thread;
	} * open;     /* by number in threads */
	char **names; /* functions' names as JSON */
	uint32_t name_count;
	bool any; /* an event was written */
};

static struct chrome_thread *find_thread(struct chrome *chrome, uint32_t event, uint32_t cpu,
                                         uint32_t *number)
{
	uint32_t seen = chrome->threads.count;
	struct chrome_thread *thread;

	*number = intern(&chrome->threads, event, cpu);
	if (*number == INTERN_NONE)
		return NULL;
	if (*number < seen)
		return chrome->open[*number].thread;
	thread = ARRAY_ROOM(chrome->open, seen) ? calloc(1, sizeof(*thread)) : NULL;
	if (thread)
		chrome->open[seen].thread = thread;
	else
		chrome->threads.count = seen;
	return thread;
}

/* Write the begin of an event object, with a comma before it if it is not the first. */
static void put_head(struct chrome *chrome, char phase, uint32_t thread)
{
	const struct intern_key *key = &chrome->threads.keys[thread];

	fprintf(chrome->export->out, "%s\n{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64,
	        chrome->any ? "," : "", phase, key->a + 1, key->b);
	chrome->any = true;
}

/* Get a function's name as JSON. The name is kept, since slices are many more than functions. NULL:
 * memory ran out. */
static const char *name_of(struct chrome *chrome, uint32_t function)
{
	if (!array_room_at(&chrome->names, &chrome->name_count, function, sizeof(char *)))
		return NULL;
	if (!chrome->names[function]) {
		size_t size;
		FILE *out = open_memstream(&chrome->names[function], &size);
		char text[256];

		if (!out)
			return NULL;
		html_json(out, html_text(export_function(chrome->export, function, text)));
		fclose(out);
	}
	return chrome->names[function];
}

static void put_start(struct chrome *chrome, char phase, uint32_t thread, uint64_t start)
{
	put_head(chrome, phase, thread);
	fprintf(chrome->export->out, ",\"ts\":%" PRIu64 ".%03" PRIu64, start / NS_PER_US,
	        start % NS_PER_US);
}

/* Write a complete event up to its name. Readers add start and duration as doubles. The duration is
 * computed in doubles, so that the rounded end of a slice equals the begin of the next slice, and
 * no slice ends after the slice around it. */
static void put_times(struct chrome *chrome, uint32_t thread, uint64_t start, uint64_t until)
{
	put_start(chrome, 'X', thread, start);
	fprintf(chrome->export->out,
	        ",\"dur\":%.17g,\"name\":", (double)until / NS_PER_US - (double)start / NS_PER_US);
}

static void put_slice(struct chrome *chrome, uint32_t number, uint32_t depth)
{
	const struct chrome_thread *thread = chrome->open[number].thread;
	const char *name = name_of(chrome, thread->stack[depth]);

	put_times(chrome, number, thread->starts[depth], thread->until);
	fprintf(chrome->export->out, "%s}", name ? name : "\"\"");
}

/* Close all slices deeper than depth. The outer slice is written first, because readers take the
 * first of two slices with equal times as the outer slice. A slice without length is not written,
 * because readers disagree about the slice around it. */
static void close_slices(struct chrome *chrome, uint32_t number, uint32_t depth)
{
	struct chrome_thread *thread = chrome->open[number].thread;

	for (uint32_t i = depth; i < thread->depth; i++) {
		if (thread->starts[i] < thread->until)
			put_slice(chrome, number, i);
	}
	thread->depth = depth < thread->depth ? depth : thread->depth;
}

/* Write a program's mark: a slice for a region, an instant for a single moment. */
static int put_mark(void *context, const struct mark_region *region)
{
	struct chrome *chrome = context;
	uint32_t number;

	if (!find_thread(chrome, region->event, region->cpu, &number))
		return -ENOMEM;
	if (region->length) {
		put_times(chrome, number, region->since, region->since + region->length);
	} else {
		put_start(chrome, 'i', number, region->since);
		fputs(",\"s\":\"t\",\"name\":", chrome->export->out);
	}
	html_json(chrome->export->out, html_text(mark_regions_name(&chrome->marks, region->name)));
	putc('}', chrome->export->out);
	return 0;
}

static int add_slices(struct chrome *chrome, const struct export_sample *sample)
{
	const struct places *places = &chrome->export->places;
	uint32_t place = places_add(&chrome->export->places, &sample->sample);
	uint32_t stack[FRAMES_MAX], depth, same = 0, number;
	uint64_t end = sample->sample.time, start = end;
	struct chrome_thread *thread = find_thread(
	    chrome, export_event(chrome->export, sample->event), sample->sample.cpu, &number);

	if (!thread || place == INTERN_NONE)
		return -ENOMEM;
	depth = export_stack(places, places->places.keys[place].a, stack);
	if (perf_reader_is_clock(sample->event))
		start = end > sample->weight ? end - sample->weight : 0;
	else if (thread->until)
		start = thread->until;
	start = start < thread->until ? thread->until : start;
	while (start == thread->until && same < depth && same < thread->depth &&
	       stack[same] == thread->stack[same])
		same++;
	close_slices(chrome, number, same);
	for (; thread->depth < depth; thread->depth++) {
		thread->stack[thread->depth] = stack[thread->depth];
		thread->starts[thread->depth] = start;
	}
	thread->until = end < start ? start : end;
	return 0;
}

static int add_sample(void *context, const struct export_sample *sample)
{
	struct chrome *chrome = context;

	chrome->last = sample->sample.time > chrome->last ? sample->sample.time : chrome->last;
	if (!mark_text_is(&sample->event->attr))
		return add_slices(chrome, sample);
	return mark_regions_add(&chrome->marks, export_event(chrome->export, sample->event),
	                        &sample->sample);
}

static void put_name(struct chrome *chrome, uint32_t thread, const char *what, json_t *name)
{
	put_head(chrome, 'M', thread);
	fprintf(chrome->export->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	html_json(chrome->export->out, name);
	fputs("}}", chrome->export->out);
}

/* Add the calls of a branch trace. A file with samples needs none: its trace may be SPE's. */
static int add_calls(struct chrome *chrome, struct error *error)
{
	const bool is_first = !chrome->any && !chrome->threads.count;
	int code = export_chrome_calls(chrome->export, !chrome->any, error);

	if (code == -ENODATA && !is_first)
		return 0;
	chrome->any = true;
	return code;
}

int export_chrome(struct export *export, struct error *error)
{
	struct chrome chrome = {
		.export = export,
		.marks.show = put_mark,
		.marks.context = &chrome,
	};
	int code;

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", export->out);
	code = export_walk(export, add_sample, &chrome, error);
	if (!code && mark_regions_end(&chrome.marks, chrome.last))
		code = error_set(error, -ENOMEM, "no memory for the marks");
	if (!code && export->file->has_trace && !export->only)
		code = add_calls(&chrome, error);
	for (uint32_t i = 0; i < chrome.threads.count; i++) {
		const struct intern_key *key = &chrome.threads.keys[i];

		close_slices(&chrome, i, 0);
		put_name(&chrome, i, "process_name",
		         html_text(export->file->reader.events[key->a].name));
		put_name(&chrome, i, "thread_name", json_sprintf("CPU %u", (unsigned)key->b));
		free(chrome.open[i].thread);
	}
	fputs("\n]}\n", export->out);
	for (uint32_t i = 0; i < chrome.name_count; i++)
		free(chrome.names[i]);
	free(chrome.names);
	free(chrome.open);
	intern_free(&chrome.threads);
	mark_regions_free(&chrome.marks);
	return code;
}
