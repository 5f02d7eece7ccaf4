/* SPDX-License-Identifier: MIT */
/* A histogram as perf's table of it. */
#ifndef HOST_TOOLS_REPORT_REPORT_TABLE_H
#define HOST_TOOLS_REPORT_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "abi/perf_event.h"
#include "host-tools/report/histogram.h"

/* Columns of what samples have in common; printed in this order. */
#define REPORT_COMMAND 1U
#define REPORT_FILE    2U
#define REPORT_SYMBOL  4U
#define REPORT_CPU     8U
#define REPORT_LINE    16U

struct report_table {
	unsigned columns;      /* REPORT_* */
	bool samples;          /* how many a line stands for */
	double limit;          /* percent; lines below it are left out */
	size_t most;           /* lines; 0: all */
	uint64_t idle;         /* so much of the weight was nobody's work; told if there is any */
	const char *separator; /* NULL: columns are padded, under a head */
};

/* The level of privilege that a record is of, as perf shows it in front of a symbol. */
char report_table_level(const struct perf_event_header *record);

/* Of a sorted histogram. Whether it could be written is known by ferror(). */
void report_table_print(const struct report_table *table, const char *event,
                        const struct histogram *histogram, FILE *out);

#endif
