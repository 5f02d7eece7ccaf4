/* SPDX-License-Identifier: MIT */
/*
 * A boot in 30 lines: 1 of sums, at most 4 of the time before the first sample (the CPU's counter,
 * and a line for each source, of which those that are absent share one), 3 phases, 1 of modules, 10
 * waits, 10 functions, and the ledger.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/uefi/boot.h"
#include "host-tools/util/put_text.h"

#define PHASES     3U
#define LONGEST    2U /* gaps of a source */
#define LINE_ROOM  1024U
#define NO_NAME    "[no name]"
#define NS_PER_S_F 1e9

/* A line that is cut at BOOT_WIDTH. */
struct line {
	char text[LINE_ROOM];
	size_t length;
};

static void line_add(struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void line_add(struct line *line, const char *format, ...)
{
	size_t room = sizeof(line->text) - line->length;
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(line->text + line->length, room, format, values);
	va_end(values);
	if (length > 0)
		line->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void line_end(struct line *line, FILE *out)
{
	if (line->length > BOOT_WIDTH)
		memcpy(line->text + BOOT_WIDTH - 3, "...", 4);
	put_text(out, line->text, SIZE_MAX, '?', "");
	putc('\n', out);
	line->length = 0;
}

static double share_of(const struct boot *boot, uint64_t weight)
{
	uint64_t whole = boot->work + boot->waiting;

	return whole ? 100.0 * (double)weight / (double)whole : 0;
}

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_S_F;
}

static void line_weight(struct line *line, const struct boot *boot, uint64_t weight)
{
	if (boot->is_clock)
		line_add(line, "%.3f s", seconds(weight));
	else
		line_add(line, "%" PRIu64, weight);
}

/* ---- Before the first sample ---- */

static int compare_notes(const void *a, const void *b)
{
	const struct phase_note *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns < right->ns ? -1 : 1;
	return strcmp(left->what, right->what);
}

/* The source's moments by time. U-Boot's sums are no moments. Returns their number; *moments must
 * be freed; NULL: there are none. */
static size_t moments_of(const struct boot *boot, enum phase_source source,
                         struct phase_note **moments)
{
	size_t count = 0;

	*moments = calloc(boot->phases.nr_notes + 1, sizeof(**moments));
	for (size_t i = 0; *moments && i < boot->phases.nr_notes; i++) {
		const struct phase_note *note = &boot->phases.notes[i];
		const char *sum = note->has_time ? strstr(note->what, " (in all)") : NULL;

		if (note->source == source && note->has_time && !(sum && !strcmp(sum, " (in all)")))
			(*moments)[count++] = *note;
	}
	if (count)
		qsort(*moments, count, sizeof(**moments), compare_notes);
	return count;
}

/* The longest gap before a moment that is shorter than `below`, or equal and earlier. 0: none. */
static size_t longest_gap(const struct phase_note *moments, size_t count, int64_t below)
{
	size_t longest = 0;

	for (size_t i = 1; i < count; i++) {
		int64_t gap = moments[i].ns - moments[i - 1].ns;

		if (gap > 0 && gap < below &&
		    (!longest || gap > moments[longest].ns - moments[longest - 1].ns))
			longest = i;
	}
	return longest;
}

static void put_source(const struct boot *boot, enum phase_source source, FILE *out)
{
	struct line line = { .length = 0 };
	struct phase_note *moments;
	size_t count = moments_of(boot, source, &moments);
	int64_t below = INT64_MAX;

	line_add(&line, "         %s: ", phases_source_name(source));
	if (count)
		line_add(&line, "%.3f s %s", seconds((uint64_t)moments[count - 1].ns),
		         moments[count - 1].what);
	else
		line_add(&line, "no moments");
	for (unsigned i = 0; i < LONGEST; i++) {
		size_t at = longest_gap(moments, count, below);

		if (!at)
			break;
		below = moments[at].ns - moments[at - 1].ns;
		line_add(&line, "%s%.3f s to %s",
		         i ? ", " : "; longest: ", seconds((uint64_t)below), moments[at].what);
	}
	line_end(&line, out);
	free(moments);
}

/* A line for all sources that have no times. */
static void put_absent(const struct boot *boot, FILE *out)
{
	struct line line = { .length = 0 };

	for (enum phase_source i = 0; i < PHASE_SOURCES; i++) {
		if (boot_has_source(boot, i))
			continue;
		line_add(&line, "%s%s%s%s",
		         line.length ? ", " : "         no times of: ", phases_source_name(i),
		         boot->phases.wrong[i] ? ": " : "",
		         boot->phases.wrong[i] ? boot->phases.wrong[i] : "");
	}
	if (line.length)
		line_end(&line, out);
}

static void put_before(const struct boot *boot, FILE *out)
{
	const struct phases *phases = &boot->phases;
	struct line line = { .length = 0 };

	line_add(&line, "Before   ");
	if (phases->has_counter)
		line_add(&line,
		         "first sample %.3f s after the CPU's counter was 0, as after a reset",
		         seconds((uint64_t)phases->counter + boot->first));
	else
		line_add(&line, "the CPU's counter at the first sample is not recorded");
	line_end(&line, out);
	for (enum phase_source i = 0; i < PHASE_SOURCES; i++) {
		if (boot_has_source(boot, i))
			put_source(boot, i, out);
	}
	put_absent(boot, out);
}

/* ---- The recording ---- */

static void put_head(const struct boot *boot, FILE *out)
{
	struct line line = { .length = 0 };

	line_add(&line,
	         "Boot     %.3f s, %" PRIu64 " samples of %s: ", seconds(boot->last - boot->first),
	         boot->samples, boot->event->name);
	line_weight(&line, boot, boot->work);
	line_add(&line, " work, ");
	line_weight(&line, boot, boot->waiting);
	line_add(&line, " waiting");
	line_end(&line, out);
}

static void put_phases(const struct boot *boot, FILE *out)
{
	for (size_t i = 0; i < PHASES && i < boot->by_phase.count; i++) {
		const struct boot_sum *sum = &boot->by_phase.all[i];
		struct line line = { .length = 0 };

		line_add(&line, "%-9s%5.1f%% ", i ? "" : "Phases",
		         share_of(boot, boot_weight(sum)));
		line_weight(&line, boot, boot_weight(sum));
		line_add(&line, " from %.3f: %s", seconds(sum->first), sum->name);
		line_end(&line, out);
	}
}

/* Write as many modules as fit on the line. */
static void put_modules(const struct boot *boot, FILE *out)
{
	struct line line = { .length = 0 };

	line_add(&line, "Modules  ");
	for (size_t i = 0; i < boot->by_module.count; i++) {
		const struct boot_sum *sum = &boot->by_module.all[i];
		struct line one = { .length = 0 };

		line_add(&one, "%s%s %.1f%%", i ? ", " : "", sum->name,
		         share_of(boot, boot_weight(sum)));
		if (line.length + one.length > BOOT_WIDTH - strlen(", ...")) {
			line_add(&line, ", ...");
			break;
		}
		line_add(&line, "%s", one.text);
	}
	line_end(&line, out);
}

static void line_device(struct line *line, const struct boot *boot, const char *module)
{
	const char *first = boot_device(boot, module, 0);
	size_t count = 0;

	if (!first)
		return;
	while (boot_device(boot, module, count))
		count++;
	line_add(line, ", %s", first);
	if (count > 1)
		line_add(line, " or %zu more", count - 1);
}

static void put_rows(const struct boot *boot, const struct boot_sums *sums, const char *title,
                     FILE *out)
{
	for (size_t i = 0; i < BOOT_TOP && i < sums->count; i++) {
		const struct boot_sum *sum = &sums->all[i];
		struct line line = { .length = 0 };

		line_add(&line, "%-9s%5.1f%% ", i ? "" : title, share_of(boot, boot_weight(sum)));
		line_weight(&line, boot, boot_weight(sum));
		if (sum->in)
			line_add(&line, " from %.3f to %.3f", seconds(sum->first),
			         seconds(sum->last));
		line_add(&line, ": %s %s", sum->name, sum->function ? sum->function : NO_NAME);
		if (sum->in) {
			line_add(&line, " in %s", sum->in);
			line_device(&line, boot, sum->name);
		}
		line_end(&line, out);
	}
}

static void put_ledger(const struct boot *boot, FILE *out)
{
	struct line line = { .length = 0 };

	line_add(&line, "Ledger   %s", boot->ledger);
	line_end(&line, out);
}

void boot_print(const struct boot *boot, FILE *out)
{
	put_head(boot, out);
	put_before(boot, out);
	put_phases(boot, out);
	put_modules(boot, out);
	put_rows(boot, &boot->waits, "Waits", out);
	put_rows(boot, &boot->functions, "Work", out);
	put_ledger(boot, out);
}
