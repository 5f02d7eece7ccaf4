/* SPDX-License-Identifier: MIT */
/*
 * Code that the benchmarks share. The variants of a measurement run in turns, so that each turn of
 * one variant is next to a turn of every other. The ratio is computed for each turn; the result is
 * the median of the ratios.
 */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef BENCH_TURNS
#define BENCH_TURNS 101
#endif

struct bench_variant {
	const char *name;
	void (*run)(uint64_t records);
	double ns[BENCH_TURNS]; /* ns per record, for each turn */
};

/* CPU time of this thread, ns: it leaves out the time that other programs take. */
static inline double bench_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline int bench_compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static inline double bench_median(const double *values, int count)
{
	double sorted[BENCH_TURNS] = { 0 };

	for (int i = 0; i < count; i++)
		sorted[i] = values[i];
	qsort(sorted, (size_t)count, sizeof(*sorted), bench_compare);
	return sorted[count / 2];
}

/* Run one turn of each variant, one after the other. Before each, write some records that are not
 * measured, so that its memory is in the caches. */
static inline void bench_take_turns(struct bench_variant *variants, int count, uint64_t records,
                                    uint64_t warm_up)
{
	for (int i = 0; i < count; i++)
		variants[i].run(records);
	for (int turn = 0; turn < BENCH_TURNS; turn++) {
		for (int i = 0; i < count; i++) {
			double start;

			if (warm_up)
				variants[i].run(warm_up);
			start = bench_now();
			variants[i].run(records);
			variants[i].ns[turn] = (bench_now() - start) / (double)records;
		}
	}
}

static inline void bench_print(const struct bench_variant *variants, int count)
{
	for (int i = 0; i < count; i++) {
		double sorted[BENCH_TURNS];

		for (int turn = 0; turn < BENCH_TURNS; turn++)
			sorted[turn] = variants[i].ns[turn];
		qsort(sorted, BENCH_TURNS, sizeof(*sorted), bench_compare);
		printf("# %-34s %7.2f ns [%.2f-%.2f]\n", variants[i].name, sorted[BENCH_TURNS / 2],
		       sorted[0], sorted[BENCH_TURNS - 1]);
	}
}

/* The median of the ratios of two variants' times, over the third of the turns in which both
 * together were fastest. In slower turns other programs had a part of the CPU. */
static inline double bench_ratio(const struct bench_variant *over,
                                 const struct bench_variant *under)
{
	double both[BENCH_TURNS], sorted[BENCH_TURNS], ratios[BENCH_TURNS];
	int quiet = 0;

	for (int turn = 0; turn < BENCH_TURNS; turn++)
		sorted[turn] = both[turn] = over->ns[turn] + under->ns[turn];
	qsort(sorted, BENCH_TURNS, sizeof(*sorted), bench_compare);
	for (int turn = 0; turn < BENCH_TURNS; turn++)
		if (both[turn] <= sorted[BENCH_TURNS / 3])
			ratios[quiet++] = over->ns[turn] / under->ns[turn];
	return bench_median(ratios, quiet);
}

static inline void bench_figure(const char *name, double value, const char *unit, double goal,
                                bool more_is_better)
{
	bool reached = more_is_better ? value >= goal : value <= goal;

	printf("bench %s %.3f %s goal %g %s\n", name, value, unit, goal, reached ? "ok" : "short");
	fflush(stdout);
}

static inline void bench_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

#endif
