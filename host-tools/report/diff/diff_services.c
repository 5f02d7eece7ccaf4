/* SPDX-License-Identifier: MIT */
#include "host-tools/report/diff/diff_services.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/diff/diff_stats.h"
#include "host-tools/util/exit_status.h"

#define FILE_MOST (4U << 20) /* bytes of a report */

/* The standard error of a median is about this times the distance of the quartiles, divided by the
 * root of the number of values (McGill, Tukey, Larsen, "Variations of box plots", 1978). */
#define MEDIAN_ERROR (1.25 / 1.35)

/* The firmware's Stall(), by which the machine measures its clock, differed by up to 0.001 %
 * between two firmwares in QEMU; real firmware was never met. */
#define CLOCK_ERROR 0.0005

struct compared {
	const struct services_row *old, *new;
	double before, after;
	double low, high; /* the interval of after - before */
};

struct comparison {
	struct services_file files[2];
	bool instructions;
	double deviations; /* of the confidence */
	unsigned count;
	struct compared rows[SERVICES_MOST];
};

bool diff_services_is_report(const char *path)
{
	FILE *file = fopen(path, "re");
	int c = ' ';

	while (file && isspace(c))
		c = getc(file);
	if (file)
		fclose(file);
	return c == '{';
}

/* ---- Reading ---- */

static int read_report(struct services_file *file, const char *path, struct error *error)
{
	struct error reason = { "" };
	char *bytes = malloc(FILE_MOST);
	FILE *stream = fopen(path, "re");
	size_t size = stream && bytes ? fread(bytes, 1, FILE_MOST, stream) : 0;
	int code = !bytes              ? error_set(error, -ENOMEM, "no memory for a report")
	           : !stream           ? error_errno(error, "opening %s", path)
	           : ferror(stream)    ? error_errno(error, "reading %s", path)
	           : size == FILE_MOST ? error_set(error, -EFBIG, "%s: larger than 4 MiB", path)
	                               : 0;

	if (!code && services_json_read(file, bytes, size, &reason))
		code = error_set(error, -EINVAL, "%s: %s", path, reason.text);
	if (stream)
		fclose(stream);
	free(bytes);
	return code;
}

static int choose_unit(struct comparison *c, const char *unit, struct error *error)
{
	bool both = c->files[0].counts && c->files[1].counts;

	if (strcmp(c->files[0].architecture, c->files[1].architecture) != 0)
		return error_set(error, -EINVAL,
		                 "one report is of %s, the other of %s: only reports of one "
		                 "architecture can be compared",
		                 c->files[0].architecture, c->files[1].architecture);
	if (unit && strcmp(unit, "ns") != 0 && strcmp(unit, "instructions") != 0)
		return error_set(error, -EINVAL, "-e: services have ns and instructions, not %s",
		                 unit);
	if (unit && !strcmp(unit, "instructions") && !both)
		return error_set(error, -ENODATA,
		                 "-e: not both reports have instructions: try -e ns");
	c->instructions = unit ? !strcmp(unit, "instructions") : both;
	return 0;
}

/* ---- Comparing ---- */

static const struct services_spread *spread_of(const struct comparison *c,
                                               const struct services_row *row)
{
	return c->instructions ? &row->instructions : &row->ns;
}

static double error_of_median(const struct comparison *c, const struct services_row *row)
{
	const struct services_spread *spread = spread_of(c, row);

	return MEDIAN_ERROR * (spread->p75 - spread->p25) / sqrt((double)row->calls);
}

/* A time is no more exact than a tick of its clock, and than the clock's own measurement. */
static double inexactness_of(const struct comparison *c, const struct compared *row)
{
	if (c->instructions)
		return 0;
	return 1e9 / (double)c->files[0].hz + 1e9 / (double)c->files[1].hz +
	       CLOCK_ERROR * (row->before + row->after);
}

static void compare_row(const struct comparison *c, struct compared *row)
{
	double half = c->deviations *
	              hypot(error_of_median(c, row->old), error_of_median(c, row->new));

	row->before = spread_of(c, row->old)->median;
	row->after = spread_of(c, row->new)->median;
	half += inexactness_of(c, row);
	row->low = row->after - row->before - half;
	row->high = row->after - row->before + half;
}

static bool differs(const struct compared *row)
{
	return row->low > 0 || row->high < 0;
}

static const struct services_row *find(const struct services_file *file, const char *name)
{
	for (unsigned i = 0; i < file->count; i++) {
		if (!strcmp(file->rows[i].name, name))
			return &file->rows[i];
	}
	return NULL;
}

/* How many times larger or smaller. */
static double factor(const struct compared *row)
{
	double least = fmin(row->before, row->after), most = fmax(row->before, row->after);

	return least > 0 ? most / least : most > 0 ? HUGE_VAL : 1;
}

/* Services that differ first, the largest factor first; else in the order of names. */
static int by_difference(const void *a, const void *b)
{
	const struct compared *one = a, *other = b;
	double first = differs(one) ? factor(one) : 0, second = differs(other) ? factor(other) : 0;

	if (first != second)
		return first < second ? 1 : -1;
	return strcmp(one->old->name, other->old->name);
}

static void compare(struct comparison *c)
{
	for (unsigned i = 0; i < c->files[0].count; i++) {
		const struct services_row *old = &c->files[0].rows[i];
		const struct services_row *new = find(&c->files[1], old->name);
		struct compared *row = &c->rows[c->count];

		if (old->error || !new || new->error)
			continue;
		*row = (struct compared){ .old = old, .new = new };
		compare_row(c, row);
		c->count++;
	}
	qsort(c->rows, c->count, sizeof(c->rows[0]), by_difference);
}

/* ---- Printing ---- */

/* Services that one report alone has figures of. */
static void print_missing(const struct comparison *c, unsigned of, FILE *out)
{
	static const char *const sides[] = { "old", "new" };

	for (unsigned i = 0; i < c->files[of].count; i++) {
		const struct services_row *row = &c->files[of].rows[i];
		const struct services_row *other = find(&c->files[!of], row->name);

		if (!row->error && (!other || other->error))
			fprintf(out, "# only in %s: %s\n", sides[of], row->name);
	}
}

static void print_row(const struct compared *row, const char *separator, FILE *out)
{
	char ratio[32] = "-", interval[64] = "-";

	if (row->before > 0) {
		snprintf(ratio, sizeof(ratio), "%.3f", row->after / row->before);
		snprintf(interval, sizeof(interval), "[%.3f, %.3f]", 1 + row->low / row->before,
		         1 + row->high / row->before);
	}
	if (separator)
		fprintf(out, "%.10g%s%.10g%s%s%s%s%s%s\n", row->before, separator, row->after,
		        separator, ratio, separator, interval, separator, row->new->name);
	else
		fprintf(out, "%12.10g %12.10g %9s  %-20s %s\n", row->before, row->after, ratio,
		        interval, row->new->name);
}

static void print_file(const struct services_file *file, const char *side, const char *path,
                       FILE *out)
{
	fprintf(out, "# %s: %s, revision 0x%" PRIx64 ", %s (%s)\n", side, file->firmware,
	        file->revision, file->architecture, path);
}

static void print(const struct comparison *c, const struct diff_services_options *options,
                  char *const paths[2], FILE *out)
{
	unsigned i = 0;

	fprintf(out, "# UEFI services: median %s of a call; intervals of the ratio: %g%%\n",
	        c->instructions ? "instructions" : "ns", 100 * options->confidence);
	print_file(&c->files[0], "Old", paths[0], out);
	print_file(&c->files[1], "New", paths[1], out);
	fprintf(out, "#\n#        Old          New     Ratio  %-20s Service\n#\n", "Interval");
	for (; i < c->count && differs(&c->rows[i]); i++)
		print_row(&c->rows[i], options->separator, out);
	fprintf(out, "#\n# No difference but chance: %u of %u services\n#\n", c->count - i,
	        c->count);
	for (; i < c->count; i++)
		print_row(&c->rows[i], options->separator, out);
	print_missing(c, 0, out);
	print_missing(c, 1, out);
}

/* Report the services that grew by more than the limit. Returns their number. */
static unsigned judge(const struct comparison *c, double limit)
{
	unsigned grown = 0;

	for (unsigned i = 0; limit >= 0 && i < c->count; i++) {
		const struct compared *row = &c->rows[i];

		if (row->low <= 0 || row->after - row->before <= limit * row->before)
			continue;
		grown++;
		say("%s has grown from %.10g to %.10g %s: more than %g%%", row->new->name,
		    row->before, row->after, c->instructions ? "instructions" : "ns", 100 * limit);
	}
	return grown;
}

int diff_services(const struct diff_services_options *options, char *const paths[2], FILE *out,
                  unsigned *grown, struct error *error)
{
	struct comparison *c = calloc(1, sizeof(*c));
	int code = c ? 0 : error_set(error, -ENOMEM, "no memory for the services");

	for (unsigned i = 0; !code && i < 2; i++)
		code = read_report(&c->files[i], paths[i], error);
	if (!code)
		code = choose_unit(c, options->unit, error);
	if (!code) {
		c->deviations = diff_normal(options->confidence);
		compare(c);
		print(c, options, paths, out);
		*grown = judge(c, options->limit);
		if (fflush(out) || ferror(out))
			code = error_errno(error, "writing the differences");
	}
	free(c);
	return code;
}
