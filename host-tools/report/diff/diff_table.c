/* SPDX-License-Identifier: MIT */
#include "host-tools/report/diff/diff_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/array.h"
#include "writer/util/printable.h"

#define SHOWN 512U /* most bytes of a name */

static unsigned recordings_of(const struct diff_table *table)
{
	return table->counts[0] + table->counts[1];
}

int diff_table_init(struct diff_table *table)
{
	table->recordings = calloc(recordings_of(table), sizeof(*table->recordings));
	table->values = calloc(recordings_of(table), sizeof(*table->values));
	return table->recordings && table->values ? 0 : -ENOMEM;
}

static void free_row(struct diff_row *row)
{
	if (!row)
		return;
	free(row->file);
	free(row->function);
	free(row->weights);
	free(row);
}

static void leave(void *row)
{
	(void)row;
}

void diff_table_free(struct diff_table *table)
{
	tdestroy(table->tree, leave);
	for (size_t i = 0; i < table->count; i++)
		free_row(table->rows[i]);
	free(table->rows);
	free(table->recordings);
	free(table->values);
	*table = (struct diff_table){ 0 };
}

static int compare_names(const void *one, const void *other)
{
	const struct diff_row *a = one, *b = other;
	int order = strcmp(a->file, b->file);

	return order ? order : strcmp(a->function, b->function);
}

/* Copy a text without terminal control characters. */
static char *printable(const char *text)
{
	char *copy = strndup(text, SHOWN);

	if (copy)
		printable_make(copy);
	return copy;
}

static struct diff_row *new_row(const struct diff_table *table, const struct histogram_key *key)
{
	struct diff_row *row = calloc(1, sizeof(*row));
	char address[32];

	snprintf(address, sizeof(address), "0x%016" PRIx64, key->address);
	if (row) {
		row->file = printable(key->file);
		row->function = printable(key->function ? key->function : address);
		row->weights = calloc(recordings_of(table), sizeof(*row->weights));
	}
	if (row && row->file && row->function && row->weights)
		return row;
	free_row(row);
	return NULL;
}

/* Get the row of key's function; create it if it is missing. NULL: memory ran out. */
static struct diff_row *find_row(struct diff_table *table, const struct histogram_key *key)
{
	bool has_room = array_room(&table->rows, table->count, sizeof(struct diff_row *));
	struct diff_row *row = has_room ? new_row(table, key) : NULL;
	struct diff_row *const *found = row ? tsearch(row, &table->tree, compare_names) : NULL;

	if (found && *found == row)
		table->rows[table->count++] = row;
	else
		free_row(row);
	return found ? *found : NULL;
}

int diff_table_add(struct diff_table *table, unsigned recording, const struct histogram *histogram,
                   double squares)
{
	table->recordings[recording] = (struct diff_recording){
		.weight = (double)histogram->weight,
		.squares = squares,
		.samples = histogram->samples,
	};
	for (size_t i = 0; i < histogram->count; i++) {
		const struct histogram_entry *entry = &histogram->entries[i];
		struct diff_row *row = find_row(table, &entry->key);

		if (!row)
			return -ENOMEM;
		row->weights[recording] += (double)entry->weight;
	}
	return 0;
}

/* The sums of one side: the baseline, or the new recordings. */
struct side {
	unsigned first, count;
	double weight;  /* weight of all its samples */
	double squares; /* sum of the squares of the weights */
};

static struct side side_of(const struct diff_table *table, unsigned which)
{
	struct side side = { which ? table->counts[0] : 0, table->counts[which], 0, 0 };

	for (unsigned i = side.first; i < side.first + side.count; i++) {
		side.weight += table->recordings[i].weight;
		side.squares += table->recordings[i].squares;
	}
	return side;
}

/* Get the number of equally weighted samples that have as much information as the side's unequally
 * weighted ones (Kish's effective size). */
static double trials(const struct side *side)
{
	return side->squares > 0 ? side->weight * side->weight / side->squares : 1;
}

static double weight_of(const struct diff_row *row, const struct side *side)
{
	double weight = 0;

	for (unsigned i = side->first; i < side->first + side->count; i++)
		weight += row->weights[i];
	return weight;
}

/* The divisor that turns a weight of recording i into a share: its own total, or the baseline's
 * total. */
static double whole_of(const struct diff_table *table, const struct side *baseline, unsigned i)
{
	double whole = table->compute == DIFF_COUNT ? baseline->weight / baseline->count
	                                            : table->recordings[i].weight;

	return whole > 0 ? whole : 1;
}

static struct diff_moments moments_of(const struct diff_table *table, const struct diff_row *row,
                                      const struct side *baseline, const struct side *side)
{
	double *values = table->values;

	for (unsigned i = 0; i < side->count; i++)
		values[i] = row->weights[side->first + i] /
		            whole_of(table, baseline, side->first + i);
	if (side->count > 1)
		return diff_moments(values, side->count);
	return (struct diff_moments){ 1, values[0], 0 };
}

/* Get the interval from the samples of one recording. A function's share is a share of all trials.
 * A function's count is a number of rare events; such a number's variance is the number itself. */
static struct diff_interval by_samples(const struct diff_table *table, const struct diff_row *row,
                                       const struct side sides[2])
{
	double deviations = diff_normal(table->confidence);
	double one = weight_of(row, &sides[0]), other = weight_of(row, &sides[1]), half;

	if (table->compute == DIFF_DELTA_ABS) {
		double first = one / (sides[0].weight > 0 ? sides[0].weight : 1);
		double second = other / (sides[1].weight > 0 ? sides[1].weight : 1);

		return diff_newcombe(first, trials(&sides[0]), second, trials(&sides[1]),
		                     deviations);
	}
	half = deviations *
	       hypot(sqrt(one * sides[0].weight / trials(&sides[0])) / sides[0].count,
	             sqrt(other * sides[1].weight / trials(&sides[1])) / sides[1].count) /
	       whole_of(table, &sides[0], 0);
	return (struct diff_interval){ row->delta - half, row->delta + half };
}

static void compare_row(const struct diff_table *table, struct diff_row *row,
                        const struct side sides[2])
{
	struct diff_moments one = moments_of(table, row, &sides[0], &sides[0]);
	struct diff_moments other = moments_of(table, row, &sides[0], &sides[1]);

	row->baseline = one.mean;
	row->delta = other.mean - one.mean;
	if (one.count > 1 && other.count > 1)
		row->interval = diff_welch(&one, &other, table->confidence);
	else if (table->is_exact)
		row->interval = (struct diff_interval){ row->delta, row->delta };
	else
		row->interval = by_samples(table, row, sides);
}

static int compare_sizes(const void *one, const void *other)
{
	const struct diff_row *a = *(struct diff_row *const *)one;
	const struct diff_row *b = *(struct diff_row *const *)other;
	double left = fabs(a->delta), right = fabs(b->delta);

	if (left != right)
		return left < right ? 1 : -1;
	return compare_names(a, b);
}

void diff_table_compare(struct diff_table *table)
{
	const struct side sides[2] = { side_of(table, 0), side_of(table, 1) };

	for (size_t i = 0; i < table->count; i++)
		compare_row(table, table->rows[i], sides);
	if (table->count)
		qsort(table->rows, table->count, sizeof(struct diff_row *), compare_sizes);
}

static void print_totals(const struct diff_table *table, FILE *out)
{
	double means[2] = { 0 };
	uint64_t samples[2] = { 0 };

	for (unsigned which = 0; which < 2; which++) {
		struct side side = side_of(table, which);

		means[which] = side.weight / side.count;
		for (unsigned i = side.first; i < side.first + side.count; i++)
			samples[which] += table->recordings[i].samples;
	}
	fprintf(out,
	        "# Samples: %" PRIu64 " in %u, %" PRIu64
	        " in %u\n"
	        "# Event count (approx.): %.0f, %.0f (%+.2f%%)\n",
	        samples[0], table->counts[0], samples[1], table->counts[1], means[0], means[1],
	        means[0] > 0 ? 100 * (means[1] - means[0]) / means[0] : 0);
}

/* Print the method that computed the intervals. */
static void print_method(const struct diff_table *table, FILE *out)
{
	double percent = 100 * table->confidence;

	if (table->counts[0] > 1 && table->counts[1] > 1)
		fprintf(out, "# Intervals: %g%%, from one recording to the other (Welch's t)\n",
		        percent);
	else if (table->is_exact)
		fputs("# Exact: recorded with -icount, so no difference is chance\n", out);
	else
		fprintf(out, "# Intervals: %g%%, by the number of samples (%s)\n", percent,
		        table->compute == DIFF_COUNT ? "Poisson's" : "Wilson's, Newcombe's");
}

static void print_rule(int width, FILE *out)
{
	fputs("  ", out);
	while (width--)
		fputc('.', out);
}

static void print_head(const struct diff_table *table, int width, FILE *out)
{
	const char *delta = table->compute == DIFF_COUNT ? "Delta Count" : "Delta Abs";

	fprintf(out, "# Baseline  %11s  %-20s  %-*s  Symbol\n# ........", delta, "Interval", width,
	        "Shared Object");
	print_rule(11, out);
	print_rule(20, out);
	print_rule(width, out);
	print_rule(6, out);
	fputs("\n#\n", out);
}

static void print_row(const struct diff_row *row, int width, const char *separator, FILE *out)
{
	char interval[64];

	snprintf(interval, sizeof(interval), "[%+.2f%%, %+.2f%%]", 100 * row->interval.low,
	         100 * row->interval.high);
	if (separator)
		fprintf(out, "%.2f%%%s%+.2f%%%s%s%s%s%s%s\n", 100 * row->baseline, separator,
		        100 * row->delta, separator, interval, separator, row->file, separator,
		        row->function);
	else
		fprintf(out, "%9.2f%%  %+10.2f%%  %-20s  %-*s  %s\n", 100 * row->baseline,
		        100 * row->delta, interval, width, row->file, row->function);
}

void diff_table_print(const struct diff_table *table, const char *event, const char *separator,
                      FILE *out)
{
	int width = (int)sizeof("Shared Object") - 1;

	for (size_t i = 0; i < table->count; i++) {
		size_t length = strlen(table->rows[i]->file);

		width = (int)length > width ? (int)length : width;
	}
	fprintf(out, "# Event '%s'\n", event);
	print_totals(table, out);
	print_method(table, out);
	fputs("#\n", out);
	print_head(table, width, out);
	for (size_t i = 0; i < table->count; i++)
		print_row(table->rows[i], width, separator, out);
	fputc('\n', out);
}
