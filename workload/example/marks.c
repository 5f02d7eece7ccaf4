/* SPDX-License-Identifier: MIT */
/*
 * A program that marks its progress: rounds of work as regions, and a value. It records only the
 * interesting part (record -D -1 -e cpu-clock,marks -- payload).
 */
#include <bareperf/mark.h>
#include <bareperf/record.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned *numbers;
static unsigned count = 20000;

static int compare(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;

	return a < b ? -1 : a > b;
}

static void fill(unsigned seed)
{
	bareperf_mark_begin("fill");
	srand(seed);
	for (unsigned i = 0; i < count; i++)
		numbers[i] = (unsigned)rand();
	bareperf_mark_end("fill");
}

static void sort(void)
{
	bareperf_mark_begin("sort");
	qsort(numbers, count, sizeof(*numbers), compare);
	bareperf_mark_end("sort");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		count = (unsigned)atoi(argv[1]);
	numbers = malloc(count * sizeof(*numbers));
	if (!numbers)
		return 1;
	fill(0); /* not recorded with -D -1 */
	bareperf_record_start();
	for (unsigned round = 1; round <= 3; round++) {
		fill(round);
		sort();
		bareperf_mark("round %u: median %u, range %.3g", round, numbers[count / 2],
		              (double)numbers[count - 1] - numbers[0]);
	}
	bareperf_record_stop();
	printf("sorted %u numbers three times\n", count);
	free(numbers);
	return 0;
}
