/* SPDX-License-Identifier: MIT */
/* The words of PERF_SAMPLE_READ in a sample: perf_event_open(2), "Reading results". */
#ifndef PMU_READ_FORMAT_H
#define PMU_READ_FORMAT_H

#include "pmu/pmu.h"

/* The supported bits of attr.read_format. */
#define READ_FORMATS_SERVED                                                                 \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | \
	 PERF_FORMAT_GROUP)

/* Bytes of the event's values, or of its group's with PERF_FORMAT_GROUP; a multiple of 8. */
uint32_t read_format_size(const struct perf_event *event);

/* Write the values, as of now (ns), at `at`; returns the address behind them. In the handler of the
 * event's source, on its CPU. */
uint64_t *read_format_put(uint64_t *at, struct perf_event *event, uint64_t now);

#endif
