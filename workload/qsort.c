/* SPDX-License-Identifier: MIT */
/* The C library's qsort() over N numbers: library code, callbacks, recursion. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "workload/workload.h"

static int compare(const void *left, const void *right)
{
	const uint32_t *a = left;
	const uint32_t *b = right;

	KEEP_FRAME();
	return *a < *b ? -1 : *a > *b;
}

static int sort(uint64_t count)
{
	uint32_t *numbers = calloc(count, sizeof(*numbers));
	uint32_t value = 1;

	if (!numbers)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		value = value * 1664525U + 1013904223U; /* Knuth's "quick and dirty" generator */
		numbers[i] = value;
	}
	qsort(numbers, count, sizeof(*numbers), compare);
	for (uint64_t i = 1; i < count; i++) {
		if (numbers[i - 1] > numbers[i]) {
			free(numbers);
			return -EIO;
		}
	}
	free(numbers);
	return 0;
}

const struct workload workload_qsort = {
	.usage.name = "qsort",
	.usage.arguments = "[N]",
	.usage.description = "the C library sorts N numbers",
	.usage.standard = 1000000,
	.usage.least = 1,
	.usage.most = 1ULL << 32,
	.run = sort,
};
