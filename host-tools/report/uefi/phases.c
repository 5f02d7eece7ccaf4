/* SPDX-License-Identifier: MIT */
#include "host-tools/report/uefi/phases.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/texts.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/mark_text.h"

#define DEVICES_MAX 1024U /* the machine reports fewer */
#define NS_PER_S    UINT64_C(1000000000)

static const char before[] = "[before the first]";

static int phases_add(struct phases *phases, uint64_t time, const char *text)
{
	const char *name = texts_keep(&phases->texts, strdup(text));

	if (!name || !ARRAY_ROOM(phases->starts, phases->count))
		return -ENOMEM;
	phases->starts[phases->count++] = (struct phase_start){ time, name };
	return 0;
}

const char *phases_source_name(enum phase_source source)
{
	static const char *const names[] = { "FPDT", "coreboot", "bootstage" };

	return names[source];
}

/* Parse "SECONDS.NNNNNNNNN s: NAME". The text is from a file and may be anything. */
static bool read_time(const char *text, int64_t *ns, const char **what)
{
	char *point, *end;
	uint64_t seconds, fraction;

	if (*text < '0' || *text > '9')
		return false;
	seconds = strtoull(text, &point, 10);
	if (*point != '.' || strspn(point + 1, "0123456789") != 9 ||
	    seconds >= INT64_MAX / NS_PER_S)
		return false;
	fraction = strtoull(point + 1, &end, 10);
	if (strncmp(end, " s: ", 4) != 0)
		return false;
	*ns = (int64_t)(seconds * NS_PER_S + fraction);
	*what = end + 4;
	return true;
}

/* The part of text behind "NAME "; NULL: it begins with another name. */
static const char *behind(const char *text, const char *name)
{
	size_t length = strlen(name);

	return strncmp(text, name, length) == 0 && text[length] == ' ' ? text + length + 1 : NULL;
}

static int phases_add_time(struct phases *phases, uint64_t reported, enum phase_source source,
                           const char *text)
{
	const char *kept = texts_keep(&phases->texts, strdup(text));
	struct phase_note note = { .source = source, .reported = reported, .text = kept };

	if (!kept || !ARRAY_ROOM(phases->notes, phases->nr_notes))
		return -ENOMEM;
	note.has_time = read_time(kept, &note.ns, &note.what);
	phases->notes[phases->nr_notes++] = note;
	return 0;
}

static int phases_add_note(struct phases *phases, uint64_t reported, const char *text)
{
	/* The second is how older versions wrote it. */
	const char *counter = behind(text, "boot counter");
	const char *what;

	counter = counter ? counter : behind(text, "FPDT counter");
	if (counter) {
		phases->has_counter = read_time(counter, &phases->counter, &what);
		return 0;
	}
	for (enum phase_source i = 0; i < PHASE_SOURCES; i++) {
		const char *note = behind(text, phases_source_name(i));

		if (note)
			return phases_add_time(phases, reported, i, note);
	}
	return 0;
}

/* "error SOURCE: WHY". */
static int phases_add_error(struct phases *phases, const char *text)
{
	const char *error = behind(text, "error");

	for (enum phase_source i = 0; error && i < PHASE_SOURCES; i++) {
		const char *name = phases_source_name(i);
		size_t length = strlen(name);

		if (strncmp(error, name, length) != 0 || strncmp(error + length, ": ", 2) != 0)
			continue;
		phases->wrong[i] = texts_keep(&phases->texts, strdup(error + length + 2));
		return phases->wrong[i] ? 0 : -ENOMEM;
	}
	return 0;
}

/* "MODULE: PATH". Drivers may be reported more than once. */
static int phases_add_device(struct phases *phases, const char *text)
{
	const char *colon = strstr(text, ": ");
	struct phase_device device;

	if (!colon || phases->nr_devices == DEVICES_MAX)
		return 0;
	device.module = texts_keep(&phases->texts, strndup(text, (size_t)(colon - text)));
	device.path = texts_keep(&phases->texts, strdup(colon + 2));
	for (size_t i = 0; i < phases->nr_devices; i++) {
		if (phases->devices[i].module == device.module &&
		    phases->devices[i].path == device.path)
			return 0;
	}
	if (!device.module || !device.path || !ARRAY_ROOM(phases->devices, phases->nr_devices))
		return -ENOMEM;
	phases->devices[phases->nr_devices++] = device;
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
	case MARK_DEVICE:
		return phases_add_device(context, name);
	case MARK_MOMENT:
		return phases_add_error(context, name);
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

/* Find the sources that do not count the CPU's counter. */
static void phases_find_late(struct phases *phases)
{
	for (size_t i = phases->nr_notes; phases->has_counter && i-- > 0;) {
		const struct phase_note *note = &phases->notes[i];

		if (note->has_time && note->ns > phases->counter &&
		    (uint64_t)(note->ns - phases->counter) > note->reported)
			phases->late[note->source] = *note;
	}
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
	phases_find_late(phases);
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
	free(phases->devices);
}
