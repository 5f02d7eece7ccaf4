/* SPDX-License-Identifier: MIT */
/* Calls the firmware's services and measures the calls. Boot services only. Thread. */
#ifndef AGENT_BENCH_SERVICES_RUN_H
#define AGENT_BENCH_SERVICES_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/bench/services_case.h"
#include "agent/bench/services_figures.h"

#define SERVICES_MOST 80U /* cases */

/* The firmware after the calls, less the same before them. */
struct services_left {
	int64_t handles, pages; /* pages: of the memory map's other types than free memory */
	uint64_t level;         /* the task priority level now */
};

struct services_result {
	const struct services_case *of;
	EFI_STATUS status;             /* an error: the case cannot be measured here */
	struct services_figures ticks; /* of the clock */
	struct services_figures instructions;
};

struct services_report {
	uint64_t calls;     /* wanted of each service */
	uint64_t frequency; /* Hz of the clock */
	bool counts;        /* instructions are counted */
	const char *why;    /* why they are not */
	struct services_left left;
	unsigned count;
	struct services_result results[SERVICES_MOST];
};

/* Measure each service, report->calls times at most and for about 2 s at most. console: the console
 * too. Returns 0; -ENOMEM. */
int services_run(struct services_report *report, bool console);

#endif
