/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *one, const void *other)
{
	int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;

	return (a > b) - (a < b);
}

int64_t bench_aggregate(int64_t *values, size_t count, int64_t scale,
                        enum bench_aggregate aggregate)
{
	size_t fifth = count / 5;
	int64_t total = 0;

	qsort(values, count, sizeof(*values), compare);
	if (aggregate == BENCH_MIN)
		return values[0] * scale;
	if (aggregate == BENCH_MAX)
		return values[count - 1] * scale;
	if (aggregate == BENCH_MEDIAN)
		return values[count / 2] * scale;
	for (size_t i = fifth; i < count - fifth; i++)
		total += values[i] * scale;
	return total / (int64_t)(count - 2 * fifth);
}

/* The difference for one copy of the code, in hundredths; nanoBench rounds so. */
static int64_t normalize(const struct bench_options *options, int64_t value)
{
	int64_t copies = (int64_t)options->unroll * (options->loop ? options->loop : 1);

	return options->no_normalization ? value : (value + copies / 2) / copies;
}

int bench_aggregate_all(struct bench_measured *one, const struct bench_options *options,
                        struct error *error)
{
	int64_t scale = options->no_normalization ? 1 : 100;
	size_t count = options->measurements, size = count * sizeof(int64_t);
	int64_t *base = malloc(size), *values = malloc(size);

	if (!base || !values) {
		free(base);
		free(values);
		return error_set(error, -ENOMEM, "no memory for the measurements");
	}
	memcpy(base, one->base, size);
	memcpy(values, one->values, size);
	one->value =
	    normalize(options, bench_aggregate(values, count, scale, options->aggregate) -
	                           bench_aggregate(base, count, scale, options->aggregate));
	one->least = normalize(options, bench_aggregate(values, count, scale, BENCH_MIN) -
	                                    bench_aggregate(base, count, scale, BENCH_MAX));
	one->most = normalize(options, bench_aggregate(values, count, scale, BENCH_MAX) -
	                                   bench_aggregate(base, count, scale, BENCH_MIN));
	free(base);
	free(values);
	return 0;
}
