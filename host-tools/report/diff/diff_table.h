/* SPDX-License-Identifier: MIT */
/* Compares the functions of two groups of recordings: the baseline and the new recordings. Thread:
 * the thread that created the table. */
#ifndef HOST_TOOLS_REPORT_DIFF_DIFF_TABLE_H
#define HOST_TOOLS_REPORT_DIFF_DIFF_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/diff/diff_stats.h"
#include "host-tools/report/histogram.h"

enum diff_compute {
	DIFF_DELTA_ABS, /* the change of a function's share */
	DIFF_COUNT,     /* the change of its event count, relative to the baseline's total */
};

struct diff_row {
	char *file, *function;
	double *weights; /* sum of PERIODs, one per recording */
	double baseline; /* share in the baseline; set with all below by diff_table_compare() */
	double delta;    /* shares: 0.01 is 1 % */
	struct diff_interval interval; /* of delta */
};

/* All samples of one recording. */
struct diff_recording {
	double weight;
	double squares; /* sum of the squares of PERIODs */
	uint64_t samples;
};

struct diff_table {
	unsigned counts[2]; /* number of recordings: baseline, new; 1 or more */
	enum diff_compute compute;
	double confidence; /* confidence level of intervals, between 0 and 1 */
	bool is_exact;     /* the runs are deterministic: an interval is one point */
	struct diff_recording *recordings; /* the baseline's recordings first */
	double *values;                    /* scratch values, one per recording */
	struct diff_row **rows;
	size_t count;
	void *tree; /* tree of the rows, ordered by their texts */
};

/* Allocate the table for counts[0] + counts[1] recordings; the caller has set the other inputs. 0
 * or -ENOMEM; call diff_table_free() in both cases. */
int diff_table_init(struct diff_table *table);
void diff_table_free(struct diff_table *table);

/* Add a recording's functions. squares: the sum of the squares of its PERIODs. 0 or -ENOMEM. */
int diff_table_add(struct diff_table *table, unsigned recording, const struct histogram *histogram,
                   double squares);

/* Compute all changes, and sort the rows by the size of the change. Call it once, after all
 * recordings were added; each must have samples. */
void diff_table_compare(struct diff_table *table);

/* Print the table like `perf diff'. separator: text between columns; NULL: padded columns. */
void diff_table_print(const struct diff_table *table, const char *event, const char *separator,
                      FILE *out);

#endif
