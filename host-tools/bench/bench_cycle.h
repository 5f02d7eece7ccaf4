/* SPDX-License-Identifier: MIT */
/* Counts of a snippet after each core cycle, as nanoBench's -cycle_by_cycle. */
#ifndef HOST_TOOLS_BENCH_BENCH_CYCLE_H
#define HOST_TOOLS_BENCH_BENCH_CYCLE_H

#include <stdio.h>

#include "host-tools/bench/bench_config.h"
#include "host-tools/bench/bench_link.h"
#include "host-tools/bench/bench_options.h"

#define BENCH_CYCLES 10000U /* of one snippet, at most */

/* An event's counts when the counters froze, aggregated. */
struct bench_series {
	char name[BENCH_NAME];
	int64_t *empty;                 /* without the code: the same cycles */
	int64_t *values, *least, *most; /* with the code */
};

/* Cycles 0 to `last` of the events in their order. */
struct bench_cycles {
	struct bench_series *list;
	size_t count;         /* events, with the tool's own at the end */
	size_t own;           /* number of the tool's own events */
	uint32_t cycles;      /* counts of each series */
	uint32_t first, last; /* the cycles to print */
	uint32_t empty,
	    empty_fence; /* cycles in which the empty code ends, and the LFENCE behind it */
};

/* Measure. Errors as of bench_measure(). Call bench_cycles_free() in any case. */
int bench_cycles_measure(struct bench_cycles *cycles, struct bench_link *link,
                         const struct bench_options *options, struct error *error);

/* Print a line for each event: name, the empty code's counts at its end and at the LFENCE's, and
 * the count after each cycle; with -range followed by the least and the greatest one. */
void bench_cycles_print(const struct bench_cycles *cycles, const struct bench_options *options,
                        FILE *out);

void bench_cycles_free(struct bench_cycles *cycles);

#endif
