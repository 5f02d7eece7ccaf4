/* SPDX-License-Identifier: MIT */
/* nanoBench's aggregates of a measurement's counts. */
#ifndef HOST_TOOLS_BENCH_BENCH_AGGREGATE_H
#define HOST_TOOLS_BENCH_BENCH_AGGREGATE_H

#include "host-tools/bench/bench_measure.h"

/* One of nanoBench's aggregates of values[count], times scale: the mean without the lowest and the
 * highest fifth, the median, the least or the greatest. values are sorted. */
int64_t bench_aggregate(int64_t *values, size_t count, int64_t scale,
                        enum bench_aggregate aggregate);

/* Fill in value, least and most from the counts. 0 or -ENOMEM. */
int bench_aggregate_all(struct bench_measured *one, const struct bench_options *options,
                        struct error *error);

#endif
