/* SPDX-License-Identifier: MIT */
/*
 * The firmware's own times (FPDT) count from the reset, by a clock that the firmware chose. EDK2
 * uses its TimerLib, which usually counts the CPU's counter (the TSC; Arm's generic timer) from 0.
 * The recording's clock is made from the same counter. If so, the two clocks differ only by the
 * counter's value at the recording's time 0. Nothing proves that the clocks are the same. But if
 * the translated time of an event is later than the event was reported, the clocks are different.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/uefi/phases.h"
#include "host-tools/util/put_text.h"

#define NS_PER_S UINT64_C(1000000000)
#define NEAR     (10 * 1000000) /* ns; no other image starts within this time */

static const char loader[] = "OS loader: StartImage() starts";

/* Print a time, truncated to microseconds, like perf script. */
static void put_time(int64_t ns, FILE *out)
{
	char text[32];
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / NS_PER_S,
	         size / 1000 % 1000000);
	fprintf(out, "%13s", text);
}

bool phases_place(const struct phases *phases, const struct phase_note *note, int64_t *at)
{
	*at = note->ns - phases->counter;
	return phases->has_counter && note->has_time && !phases->late[note->source].text;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), of_end = strlen(end);

	return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

/* The distance of two times in ns. The times are from a file and may be anything. */
static int64_t distance(uint64_t time, int64_t at)
{
	int64_t ns;

	if (time > INT64_MAX || __builtin_sub_overflow((int64_t)time, at, &ns))
		return INT64_MAX;
	return llabs(ns);
}

/* Find the recording's start of an image at about this time. NULL: none. */
static const struct phase_start *find_start(const struct phases *phases, int64_t at)
{
	for (size_t i = 0; i < phases->count; i++) {
		const struct phase_start *start = &phases->starts[i];

		if (ends_with(start->name, " starts") && distance(start->time, at) < NEAR)
			return start;
	}
	return NULL;
}

static void put_agreement(const struct phases *phases, FILE *out)
{
	for (size_t i = 0; i < phases->nr_notes; i++) {
		const struct phase_note *note = &phases->notes[i];
		const struct phase_start *start;

		if (!note->has_time || strcmp(note->what, loader) != 0)
			continue;
		start = find_start(phases, note->ns - phases->counter);
		if (!start)
			continue;
		fprintf(out,
		        "# and, which speaks for that, within %" PRId64 " us of the mark \"phase ",
		        distance(start->time, note->ns - phases->counter) / 1000 + 1);
		put_text(out, start->name, SIZE_MAX, '?', "");
		fputs("\" the loader is started by it\n", out);
		return;
	}
}

/* Print the header. */
static void put_head(const struct phases *phases, enum phase_source source, FILE *out)
{
	const char *late = phases->late[source].text;

	if (late) {
		fputs(
		    "# which is not the CPU's counter, by which this would be later than it was reported: ",
		    out);
		put_text(out, late, SIZE_MAX, '?', "");
		putc('\n', out);
		return;
	}
	fprintf(out,
	        "#%12s, if that is the CPU's counter, which was at %" PRId64 ".%09" PRId64
	        " s at the recording's 0\n",
	        "Begins", phases->counter / (int64_t)NS_PER_S, phases->counter % (int64_t)NS_PER_S);
	if (source == PHASE_FPDT)
		put_agreement(phases, out);
}

static bool has_source(const struct phases *phases, enum phase_source source)
{
	for (size_t i = 0; i < phases->nr_notes; i++) {
		if (phases->notes[i].source == source)
			return true;
	}
	return false;
}

static void put_source(const struct phases *phases, enum phase_source source, FILE *out)
{
	fprintf(out, "# %s: the firmware's own times, since the reset by its own clock\n",
	        phases_source_name(source));
	if (phases->has_counter)
		put_head(phases, source, out);
	for (size_t i = 0; i < phases->nr_notes; i++) {
		const struct phase_note *note = &phases->notes[i];
		int64_t at;

		if (note->source != source)
			continue;
		if (phases_place(phases, note, &at))
			put_time(at, out);
		fputs("    ", out);
		put_text(out, note->text, SIZE_MAX, '?', "");
		putc('\n', out);
	}
	putc('\n', out);
}

void phases_print_firmware(const struct phases *phases, FILE *out)
{
	for (enum phase_source source = 0; source < PHASE_SOURCES; source++) {
		if (has_source(phases, source))
			put_source(phases, source, out);
	}
}
