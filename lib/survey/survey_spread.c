/* SPDX-License-Identifier: MIT */
#include "lib/survey/survey_spread.h"

/* Restore the heap below root: a parent is not smaller than its children. */
static void survey_sift(uint64_t *values, unsigned root, unsigned count)
{
	uint64_t value = values[root];

	for (unsigned child; (child = 2 * root + 1) < count; root = child) {
		if (child + 1 < count && values[child] < values[child + 1])
			child++;
		if (values[child] <= value)
			break;
		values[root] = values[child];
	}
	values[root] = value;
}

/* Heapsort: there may be 32,640 pairs of CPUs. */
void survey_sort(uint64_t *values, unsigned count)
{
	for (unsigned root = count / 2; root > 0; root--)
		survey_sift(values, root - 1, count);
	for (unsigned end = count; end > 1; end--) {
		uint64_t greatest = values[0];

		values[0] = values[end - 1];
		values[end - 1] = greatest;
		survey_sift(values, 0, end - 1);
	}
}

struct survey_spread survey_spread_of(uint64_t *values, unsigned count)
{
	unsigned last = count - 1;

	if (!count)
		return (struct survey_spread){ 0 };
	survey_sort(values, count);
	return (struct survey_spread){ .count = count,
		                       .min = values[0],
		                       .p10 = values[last / 10],
		                       .median = values[last / 2],
		                       .p90 = values[last - last / 10],
		                       .max = values[last] };
}

uint64_t survey_median(uint64_t *values, unsigned count)
{
	return survey_spread_of(values, count).median;
}

unsigned survey_bucket(uint64_t value)
{
	unsigned bits = value ? 64U - (unsigned)__builtin_clzll(value) : 0;

	return bits < SURVEY_BUCKETS ? bits : SURVEY_BUCKETS - 1;
}
