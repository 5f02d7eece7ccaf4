/* SPDX-License-Identifier: MIT */
/* Prints a histogram as a table like that of `perf report --stdio`. */
#ifndef HOST_TOOLS_REPORT_REPORT_TABLE_H
#define HOST_TOOLS_REPORT_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "abi/perf_event.h"
#include "host-tools/report/histogram.h"

/* Columns for the common properties of samples, printed in this order. */
#define REPORT_COMMAND 1U
#define REPORT_FILE    2U
#define REPORT_SYMBOL  4U
#define REPORT_CPU     8U
#define REPORT_LINE    16U

struct report_table {
	unsigned columns;      /* REPORT_* */
	bool samples;          /* print the number of samples of each line */
	double limit;          /* percent; lines with a smaller share are left out */
	size_t most;           /* print at most this many lines; 0: all */
	uint64_t idle;         /* weight of idle CPUs; reported if not 0 */
	const char *separator; /* between columns; NULL: padded columns with a header */
};

/* The privilege level of a record, as the character that perf shows in front of a symbol. */
char report_table_level(const struct perf_event_header *record);

/* Print a sorted histogram. The caller finds write errors by ferror(). */
void report_table_print(const struct report_table *table, const char *event,
                        const struct histogram *histogram, FILE *out);

#endif
