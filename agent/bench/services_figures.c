/* SPDX-License-Identifier: MIT */
#include "agent/bench/services_figures.h"

#include <stddef.h>

uint64_t services_scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
	unsigned __int128 scaled = (unsigned __int128)value * numerator / denominator;

	return scaled < UINT64_MAX ? (uint64_t)scaled : UINT64_MAX;
}

static void services_sink(uint64_t *heap, uint64_t at, uint64_t count)
{
	uint64_t value = heap[at], child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= value)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = value;
}

/* Heapsort: libc's qsort() may use vector registers. */
static void services_sort(uint64_t *values, uint64_t count)
{
	for (uint64_t i = count / 2; i; i--)
		services_sink(values, i - 1, count);
	for (uint64_t end = count; end > 1; end--) {
		uint64_t largest = values[0];

		values[0] = values[end - 1];
		values[end - 1] = largest;
		services_sink(values, 0, end - 1);
	}
}

static uint64_t services_quantile(const uint64_t *sorted, uint64_t count, unsigned percent)
{
	return sorted[(count * percent + 99) / 100 - 1];
}

void services_figures_of(struct services_figures *figures, uint64_t *values, uint64_t count)
{
	uint64_t sum = 0;

	services_sort(values, count);
	for (uint64_t i = 0; i < count; i++)
		sum = sum + values[i] < sum ? UINT64_MAX : sum + values[i];
	*figures = (struct services_figures){
		.calls = count,
		.min = values[0],
		.p25 = services_quantile(values, count, 25),
		.median = services_quantile(values, count, 50),
		.p75 = services_quantile(values, count, 75),
		.p99 = services_quantile(values, count, 99),
		.max = values[count - 1],
		.sum = sum,
	};
}
