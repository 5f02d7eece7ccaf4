/* SPDX-License-Identifier: MIT */
/* Functions of two sides of recordings beside each other. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_DIFF_DIFF_TABLE_H
#define HOST_TOOLS_REPORT_DIFF_DIFF_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/diff/diff_stats.h"
#include "host-tools/report/histogram.h"

enum diff_compute {
	DIFF_DELTA_ABS, /* change of a function's share */
	DIFF_COUNT,     /* change of its event count, as a share of the baseline's whole */
};

struct diff_row {
	char *file, *function;
	double *weights; /* one a recording: PERIODs */
	double baseline; /* its share; this and what follows is set by diff_table_compare() */
	double delta;    /* shares: 0.01 is 1 % */
	struct diff_interval interval; /* of delta */
};

/* All samples of one recording. */
struct diff_recording {
	double weight;
	double squares; /* of PERIODs, summed */
	uint64_t samples;
};

struct diff_table {
	unsigned counts[2]; /* recordings of the baseline, of what is compared with it; 1 or more */
	enum diff_compute compute;
	double confidence; /* of intervals, between 0 and 1 */
	bool is_exact;     /* no chance was in it: a difference is its own interval */
	struct diff_recording *recordings; /* the baseline's first */
	double *values;                    /* one a recording, to compute with */
	struct diff_row **rows;
	size_t count;
	void *tree; /* of rows, by their texts */
};

/* For so many recordings; the rest of *table is set already. 0 or -ENOMEM; diff_table_free() is due
 * in any case. */
int diff_table_init(struct diff_table *table);
void diff_table_free(struct diff_table *table);

/* Add a recording's functions; squares: of its PERIODs. 0 or -ENOMEM. */
int diff_table_add(struct diff_table *table, unsigned recording, const struct histogram *histogram,
                   double squares);

/* Compute, and sort by size of change. Once, when all are there; each recording has samples. */
void diff_table_compare(struct diff_table *table);

/* As `perf diff' prints it; separator NULL: in columns. */
void diff_table_print(const struct diff_table *table, const char *event, const char *separator,
                      FILE *out);

#endif
