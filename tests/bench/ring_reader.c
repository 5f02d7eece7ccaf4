/* SPDX-License-Identifier: MIT */
/*
 * The speed of the verifying reader on a full ring: records copied one by one and counted by type,
 * against memcpy over the same bytes. Also two CPUs, each writing its own ring, against one.
 */
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "bench_ring.h"
#include "ringbuf/reader/ring_reader.h"

#define SIZE    (32U << 20)
#define RECORDS 400000

static struct bench_ring *big, *mine[2];
static uint8_t *copy;
static uint64_t types[64], records;

static void count(uint64_t expected)
{
	static struct ring_reader reader;
	const struct perf_event_header *record;
	uint64_t seen = 0;

	if (ring_reader_init(&reader, big->ring.control, big->ring.data, SIZE, 0))
		abort();
	while (ring_reader_next(&reader, &record) > 0) {
		types[record->type]++;
		seen++;
	}
	if (seen != expected)
		abort();
}

static void copy_all(uint64_t ignored)
{
	(void)ignored;
	memcpy(copy, big->ring.data, SIZE);
	__asm__ volatile("" ::: "memory");
}

static struct bench_variant passes[] = {
	{ .name = "counting pass", .run = count },
	{ .name = "memcpy, for each record", .run = copy_all },
};

/* Records of the sizes that samples with callchains have. */
static void fill_big(void)
{
	struct ring_output out;
	uint64_t *record;

	for (records = 0;; records++) {
		uint32_t size = 64 + (uint32_t)(records % 12) * 8;

		record = ring_reserve(&out, &big->ring, &big->account, size);
		if (!record)
			return;
		bench_fill(record, records, records);
		record[0] = PERF_RECORD_SAMPLE | (uint64_t)size << 48;
		ring_commit(&out);
	}
}

static void write_own(int cpu, uint64_t count_)
{
	struct bench_ring *b = mine[cpu];
	struct ring_output out;
	uint64_t *record;

	for (uint64_t i = 0; i < count_; i++) {
		if (i % (BENCH_RING_SIZE / BENCH_RECORD / 2) == 0)
			bench_ring_consume(b);
		record = ring_reserve(&out, &b->ring, &b->account, BENCH_RECORD);
		if (!record)
			abort();
		bench_fill(record, i, i);
		ring_commit(&out);
	}
}

static int go, stop;

static void *write_beside(void *arg)
{
	(void)arg;
	bench_pin(1);
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
		if (__atomic_load_n(&go, __ATOMIC_ACQUIRE))
			write_own(1, 1000);
	return NULL;
}

static void write_alone(uint64_t count_)
{
	write_own(0, count_);
}

static void write_with_other(uint64_t count_)
{
	__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
	write_own(0, count_);
	__atomic_store_n(&go, 0, __ATOMIC_RELEASE);
}

static struct bench_variant writers[] = {
	{ .name = "one CPU", .run = write_alone },
	{ .name = "two CPUs, each its own ring", .run = write_with_other },
};

static void bench_two_cpus(void)
{
	pthread_t other;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("bench ring-two-cpus skip a single CPU\n");
		return;
	}
	for (int i = 0; i < 2; i++)
		mine[i] = bench_ring_new(BENCH_RING_SIZE, 0);
	pthread_create(&other, NULL, write_beside, NULL);
	bench_take_turns(writers, 2, RECORDS, 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	bench_print(writers, 2);
	bench_figure("ring-two-cpus", bench_ratio(&writers[1], &writers[0]), "times-one", 1.1,
	             false);
}

int main(void)
{
	bench_pin(0);
	big = bench_ring_new(SIZE, 0);
	copy = malloc(SIZE);
	if (!copy)
		return 1;
	fill_big();
	bench_take_turns(passes, 2, records, 0);
	bench_print(passes, 2);
	bench_figure("reader-bytes", bench_ratio(&passes[1], &passes[0]), "times-memcpy", 1.0,
	             true);
	bench_two_cpus();
	return 0;
}
