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

/* Print a time, truncated to microseconds, like perf script. */
static void put_time(int64_t ns, FILE *out)
{
	char text[32];
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / NS_PER_S,
	         size / 1000 % 1000000);
	fprintf(out, "%13s", text);
}

/* Find the first note whose translated time is later than the time at which the note was reported.
 * NULL: none. */
static const struct phase_note *find_impossible(const struct phases *phases, int64_t counter)
{
	const char *what;
	int64_t ns;

	for (size_t i = 0; i < phases->nr_notes; i++) {
		const struct phase_note *note = &phases->notes[i];

		if (read_time(note->text, &ns, &what) && ns > counter &&
		    (uint64_t)(ns - counter) > note->reported)
			return note;
	}
	return NULL;
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

static void put_agreement(const struct phases *phases, int64_t counter, FILE *out)
{
	const char *what;
	int64_t ns;

	for (size_t i = 0; i < phases->nr_notes; i++) {
		const struct phase_start *start;

		if (!read_time(phases->notes[i].text, &ns, &what) || strcmp(what, loader) != 0)
			continue;
		start = find_start(phases, ns - counter);
		if (!start)
			continue;
		fprintf(out,
		        "# and, which speaks for that, within %" PRId64 " us of the mark \"phase ",
		        distance(start->time, ns - counter) / 1000 + 1);
		put_text(out, start->name, SIZE_MAX, '?', "");
		fputs("\" the loader is started by it\n", out);
		return;
	}
}

/* Print the header. Returns whether the table has a column of the recording's times. */
static bool put_head(const struct phases *phases, int64_t counter, FILE *out)
{
	const struct phase_note *not = find_impossible(phases, counter);

	if (not ) {
		fputs(
		    "# which is not the CPU's counter, by which this would be later than it was reported: ",
		    out);
		put_text(out, not ->text, SIZE_MAX, '?', "");
		putc('\n', out);
		return false;
	}
	fprintf(out,
	        "#%12s, if that is the CPU's counter, which was at %" PRId64 ".%09" PRId64
	        " s at the recording's 0\n",
	        "Begins", counter / (int64_t)NS_PER_S, counter % (int64_t)NS_PER_S);
	put_agreement(phases, counter, out);
	return true;
}

void phases_print_firmware(const struct phases *phases, FILE *out)
{
	const char *what;
	int64_t counter, ns;
	bool timed;

	if (!phases->nr_notes)
		return;
	fputs("# FPDT: the firmware's own times, since the reset by its own clock\n", out);
	timed = phases->counter && read_time(phases->counter, &counter, &what) &&
	        put_head(phases, counter, out);
	for (size_t i = 0; i < phases->nr_notes; i++) {
		const char *text = phases->notes[i].text;

		if (timed && read_time(text, &ns, &what))
			put_time(ns - counter, out);
		fputs("    ", out);
		put_text(out, text, SIZE_MAX, '?', "");
		putc('\n', out);
	}
	putc('\n', out);
}
