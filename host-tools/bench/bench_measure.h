/* SPDX-License-Identifier: MIT */
/* A measurement with any number of events: in as many runs as they need. */
#ifndef HOST_TOOLS_BENCH_BENCH_MEASURE_H
#define HOST_TOOLS_BENCH_BENCH_MEASURE_H

#include "host-tools/bench/bench_config.h"
#include "host-tools/bench/bench_link.h"
#include "host-tools/bench/bench_options.h"
#include "host-tools/bench/bench_void.h"

/* One event's counts. */
struct bench_measured {
	char name[BENCH_NAME];
	unsigned group;  /* events of the same group were counted in the same run */
	unsigned column; /* the event's counter in that run */
	/* each measurement's count: of n copies, and of 2n; options->measurements each */
	int64_t *base, *values;
	int64_t value, least, most; /* aggregates of the difference; in hundredths if normalized */
	unsigned voids;             /* BENCH_VOID_*: the reasons why this figure is void */
};

struct bench_measurement {
	struct bench_measured *list;
	size_t count;
	struct bench_hardware hardware;
	struct bench_noise noise; /* of all runs; ratio and frozen: of the last one */
};

/* Measure. 0; -ECANCELED: the machine ran the snippet or refused it, and the error is its reason;
 * other negative errnos. Call bench_measure_free() in any case. */
int bench_measure(struct bench_measurement *measurement, struct bench_link *link,
                  const struct bench_options *options, struct error *error);

/* Describe the machine's CPU. 0, or a negative errno and the reason. */
int bench_describe(struct bench_hardware *hardware, struct bench_link *link, struct error *error);

void bench_measure_free(struct bench_measurement *measurement);

#endif
