/* SPDX-License-Identifier: MIT */
/*
 * A payload: counts primes on all recorded CPUs, with the C library and threads.
 *
 *	bareperf run --payload build/x86_64/sdk/example.elf -smp 4 -- \
 *		record -a -e cpu-clock -F 1000 -g -- payload 20000000
 *
 * The numbers are cut into one piece per CPU. Most of the time is spent in count_by_sieve(), some
 * in count_by_division(), which counts the first part of each piece again.
 */
#include <bareperf/clock.h>
#include <bareperf/thread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK    32768U /* numbers sieved at a time: they fit into a cache */
#define MAX_CPUS 256U
#define DIVIDED  512U /* one number in this many is checked a second time */

struct piece {
	unsigned cpu;
	unsigned long first, end; /* [first, end) */
	unsigned long primes;     /* found by the sieve */
	unsigned long checked;    /* found by division, in the first part */
	unsigned long expected;   /* found by the sieve in that part */
};

/* Cross out the multiples in [start, start + BLOCK) of every divisor. */
static __attribute__((noinline)) void cross_out(char *composite, unsigned long start,
                                                unsigned long end)
{
	for (unsigned long d = 2; d * d < end; d++) {
		unsigned long first = (start + d - 1) / d * d;

		for (unsigned long n = first < d * d ? d * d : first; n < end; n += d)
			composite[n - start] = 1;
	}
}

static __attribute__((noinline)) unsigned long count_by_sieve(unsigned long first,
                                                              unsigned long end)
{
	char *composite = malloc(BLOCK);
	unsigned long primes = 0;

	for (unsigned long start = first; composite && start < end; start += BLOCK) {
		unsigned long stop = start + BLOCK < end ? start + BLOCK : end;

		memset(composite, 0, BLOCK);
		cross_out(composite, start, stop);
		for (unsigned long n = start < 2 ? 2 : start; n < stop; n++)
			primes += !composite[n - start];
	}
	free(composite);
	return primes;
}

static int is_prime(unsigned long n)
{
	for (unsigned long d = 2; d * d <= n; d++) {
		if (n % d == 0)
			return 0;
	}
	return n >= 2;
}

static __attribute__((noinline)) unsigned long count_by_division(unsigned long first,
                                                                 unsigned long end)
{
	unsigned long primes = 0;

	for (unsigned long n = first; n < end; n++)
		primes += (unsigned long)is_prime(n);
	return primes;
}

/* A thread's work. Returns 0 if both ways of counting agree. */
static __attribute__((noinline)) int count_piece(void *argument)
{
	struct piece *piece = argument;
	unsigned long part = piece->first + (piece->end - piece->first) / DIVIDED;

	piece->cpu = bareperf_cpu();
	piece->primes = count_by_sieve(piece->first, piece->end);
	piece->checked = count_by_division(piece->first, part);
	piece->expected = count_by_sieve(piece->first, part);
	return piece->checked != piece->expected;
}

/* Start a thread for every piece but the first, which the caller counts. */
static __attribute__((noinline)) int count_all(struct piece *pieces, unsigned count)
{
	int cpus[MAX_CPUS];
	int wrong = 0, result;

	for (unsigned i = 1; i < count; i++) {
		cpus[i] = bareperf_thread_start(BAREPERF_ANY_CPU, count_piece, &pieces[i]);
		if (cpus[i] < 0) {
			fprintf(stderr, "starting thread %u: %s\n", i, strerror(-cpus[i]));
			return 1;
		}
	}
	wrong |= count_piece(&pieces[0]);
	for (unsigned i = 1; i < count; i++) {
		bareperf_thread_join(cpus[i], &result);
		wrong |= result;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	unsigned long limit = argc > 1 ? strtoul(argv[1], NULL, 0) : 20000000;
	unsigned count = bareperf_cpus() < MAX_CPUS ? bareperf_cpus() : MAX_CPUS;
	struct piece *pieces = calloc(count, sizeof(*pieces));
	unsigned long primes = 0;
	uint64_t start = bareperf_clock();
	int wrong;

	if (!pieces) {
		fprintf(stderr, "no memory for %u pieces\n", count);
		return 1;
	}
	for (unsigned i = 0; i < count; i++) {
		pieces[i].first = limit / count * i;
		pieces[i].end = i + 1 == count ? limit : limit / count * (i + 1);
	}
	wrong = count_all(pieces, count);
	for (unsigned i = 0; i < count; i++) {
		printf("CPU %u: %lu primes from %lu to %lu\n", pieces[i].cpu, pieces[i].primes,
		       pieces[i].first, pieces[i].end);
		primes += pieces[i].primes;
	}
	printf("%lu primes below %lu, in %.3f s\n", primes, limit,
	       (double)(bareperf_clock() - start) / 1e9);
	if (wrong)
		printf("sieve and division disagree\n");
	free(pieces);
	return wrong;
}
