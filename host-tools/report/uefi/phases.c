/* SPDX-License-Identifier: MIT */
#include "host-tools/report/uefi/phases.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/texts.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/mark_text.h"

#define COUNTER "counter " /* as agent/uefi/uefi_phases.c writes it */

static const char before[] = "[before the first]";

static int phases_add(struct phases *phases, uint64_t time, const char *text)
{
	const char *name = texts_keep(&phases->texts, strdup(text));

	if (!name || !ARRAY_ROOM(phases->starts, phases->count))
		return -ENOMEM;
	phases->starts[phases->count++] = (struct phase_start){ time, name };
	return 0;
}

static int phases_add_note(struct phases *phases, uint64_t reported, const char *text)
{
	const char *kept = texts_keep(&phases->texts, strdup(text));

	if (!kept || !ARRAY_ROOM(phases->notes, phases->nr_notes))
		return -ENOMEM;
	if (strncmp(kept, COUNTER, strlen(COUNTER)) == 0)
		phases->counter = kept + strlen(COUNTER);
	else
		phases->notes[phases->nr_notes++] = (struct phase_note){ reported, kept };
	return 0;
}

static int visit(void *context, struct perf_reader *reader, const struct perf_event_header *record)
{
	const struct perf_reader_event *event = perf_reader_event_of(reader, record);
	char text[MARK_TEXT_MAX];
	struct sample sample;
	const char *name;

	if (record->type != PERF_RECORD_SAMPLE || !event || !mark_text_is(&event->attr) ||
	    !sample_parse(record, &event->attr, &sample) ||
	    !mark_text_get(&sample, text, sizeof(text)))
		return 0;
	switch (mark_text_kind(text, &name)) {
	case MARK_PHASE:
		return phases_add(context, sample.time, name);
	case MARK_FIRMWARE:
		return phases_add_note(context, sample.time, name);
	default:
		return 0;
	}
}

static int compare_starts(const void *a, const void *b)
{
	const struct phase_start *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left < right ? -1 : left > right;
}

static struct phase *phases_find(struct phases *phases, const char *name)
{
	for (size_t i = 0; i < phases->nr_all; i++) {
		if (phases->all[i].name == name)
			return &phases->all[i];
	}
	phases->all[phases->nr_all] = (struct phase){ .name = name };
	return &phases->all[phases->nr_all++];
}

static int phases_number(struct phases *phases)
{
	phases->all = calloc(phases->count + 1, sizeof(*phases->all));
	if (!phases->all)
		return -ENOMEM;
	phases_find(phases, before);
	for (size_t i = 0; i < phases->count; i++) {
		struct phase *phase = phases_find(phases, phases->starts[i].name);

		if (!phase->times++)
			phase->begins = phases->starts[i].time;
	}
	return 0;
}

int phases_read(struct phases *phases, struct recording_file *file, struct error *error)
{
	int code = recording_file_walk(file, visit, phases, error);

	if (code)
		return code;
	if (!phases->count)
		return error_set(
		    error, -ENODATA,
		    "%s has no phases: record --boot has them, and what a program says "
		    "by bareperf_mark(\"phase NAME\"), with -e marks",
		    file->reader.path);
	qsort(phases->starts, phases->count, sizeof(*phases->starts), compare_starts);
	return phases_number(phases) ? error_set(error, -ENOMEM, "no memory for the phases") : 0;
}

const char *phases_at(const struct phases *phases, uint64_t time)
{
	size_t low = 0, high = phases->count; /* starts before low are not later than time */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (phases->starts[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? phases->starts[low - 1].name : before;
}

void phases_free(struct phases *phases)
{
	tdestroy(phases->texts, free);
	free(phases->starts);
	free(phases->all);
	free(phases->notes);
}
