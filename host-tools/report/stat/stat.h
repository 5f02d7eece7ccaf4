/* SPDX-License-Identifier: MIT */
/* The counts of `stat`, from the ledger of a run that had no samples. */
#ifndef HOST_TOOLS_REPORT_STAT_STAT_H
#define HOST_TOOLS_REPORT_STAT_STAT_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/stat/stat_regions.h"
#include "writer/ledger/ledger.h"
#include "writer/util/error.h"

struct stat_options {
	const char *title;                  /* the counted command */
	bool per_cpu;                       /* each CPU by itself, not their sum */
	const struct stat_regions *regions; /* printed after the counts; NULL: none */
};

/* An event's count, on one CPU or on all. */
struct stat_count {
	double scaled;    /* as if it had had a counter all the time */
	uint64_t counted; /* truly */
	uint64_t enabled; /* ns */
	uint64_t running; /* ns, of those with a counter */
};

/* The count of events[first] and of all others of its evsel; or of events[first] alone. */
struct stat_count stat_sum(const struct ledger *ledger, uint32_t first, bool alone);

/* The time from start to stop, ns: the longest that an event was enabled. */
uint64_t stat_elapsed(const struct ledger *ledger);

/* As `perf stat` prints it. */
void stat_print(const struct ledger *ledger, const struct stat_options *options, FILE *out);

/* One JSON object. 0, or -EIO. */
int stat_print_json(const struct ledger *ledger, const struct stat_options *options, FILE *out,
                    struct error *error);

#endif
