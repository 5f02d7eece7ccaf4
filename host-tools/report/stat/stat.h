/* SPDX-License-Identifier: MIT */
/* Prints the counts of `bareperf stat`, from the ledger of a run without samples. */
#ifndef HOST_TOOLS_REPORT_STAT_STAT_H
#define HOST_TOOLS_REPORT_STAT_STAT_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/stat/stat_regions.h"
#include "writer/ledger/ledger.h"
#include "writer/util/error.h"

struct stat_options {
	const char *title;                  /* the counted command */
	bool per_cpu;                       /* print each CPU by itself, not the sum */
	const struct stat_regions *regions; /* printed after the counts; NULL: none */
};

/* An event's count, on one CPU or on all. */
struct stat_count {
	double scaled;    /* estimate, as if the event always had a counter */
	uint64_t counted; /* measured, while the event had a counter */
	uint64_t enabled; /* ns */
	uint64_t running; /* ns, the part of enabled with a counter */
};

/* Sum the count of events[first] and of all other events of the same evsel. alone: only
 * events[first]. */
struct stat_count stat_sum(const struct ledger *ledger, uint32_t first, bool alone);

/* The time from start to stop in ns: the longest time for which any event was enabled. */
uint64_t stat_elapsed(const struct ledger *ledger);

/* Print the counts like `perf stat`. */
void stat_print(const struct ledger *ledger, const struct stat_options *options, FILE *out);

/* Print the counts as one JSON object. 0, or -EIO. */
int stat_print_json(const struct ledger *ledger, const struct stat_options *options, FILE *out,
                    struct error *error);

#endif
