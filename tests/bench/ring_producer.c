// SPDX-License-Identifier: MIT
/*
 * What a record costs its writer, against the floor: a bare copy of 64 bytes and a release store,
 * in the same memory. Nobody reads beside it (ring_live.c); the tail is moved twice a round.
 */
#include "bench.h"

#include <string.h>

/* As in the firmware: what a handler runs has no vector registers, the floor neither. */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("general-regs-only")
#endif
#include "bench_ring.h"

#define RECORDS  200000
#define BURST    (BENCH_RING_SIZE / BENCH_RECORD / 2)
#define NOINLINE __attribute__((noinline))

static struct bench_ring *forward, *backward, *full;
static uint8_t *floor_memory; /* aligned to a page */
static uint64_t floor_head;

static uint64_t template[8]; /* filled in main(), so that it is copied from memory */

static NOINLINE void floor_write(void)
{
	memcpy(floor_memory + (floor_head & (BENCH_RING_SIZE - 1)), template, sizeof(template));
	__atomic_store_n(&floor_head, floor_head + sizeof(template), __ATOMIC_RELEASE);
}

static NOINLINE void floor_write_time(uint64_t time)
{
	uint64_t *at = (uint64_t *)(floor_memory + (floor_head & (BENCH_RING_SIZE - 1)));

	memcpy(at, template, sizeof(template));
	at[4] = time;
	__atomic_store_n(&floor_head, floor_head + sizeof(template), __ATOMIC_RELEASE);
}

static NOINLINE void ring_write(struct bench_ring *b, uint64_t number, uint64_t time)
{
	struct ring_output out;
	uint64_t *record = ring_reserve(&out, &b->ring, &b->account, BENCH_RECORD);

	if (!record)
		return;
	bench_fill(record, number, time);
	ring_commit(&out);
}

static NOINLINE void ring_write_sample(struct bench_ring *b, uint64_t number, uint64_t time)
{
	struct ring_output out;
	uint64_t *record = ring_reserve_sample(&out, &b->ring, &b->account, BENCH_RECORD, 1000);

	if (!record)
		return;
	bench_fill(record, number, time);
	ring_commit(&out);
}

/* A record whose writer is interrupted by another. */
static NOINLINE void ring_write_nested(struct bench_ring *b, uint64_t number, uint64_t time)
{
	struct ring_output out, inner;
	uint64_t *record = ring_reserve(&out, &b->ring, &b->account, BENCH_RECORD), *nested;

	if (!record)
		return;
	bench_fill(record, number, time);
	nested = ring_reserve(&inner, &b->ring, &b->nested, BENCH_RECORD);
	if (nested) {
		bench_fill(nested, number, time);
		ring_commit(&inner);
	}
	ring_commit(&out);
}

#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC pop_options
#endif

static void run_floor(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++)
		floor_write();
}

static void run_floor_time(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++)
		floor_write_time(arch_cycles());
}

static void run_ring(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++) {
		if (i % BURST == 0)
			bench_ring_consume(forward);
		ring_write(forward, i, i);
	}
}

static void run_ring_time(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++) {
		if (i % BURST == 0)
			bench_ring_consume(forward);
		ring_write(forward, i, arch_cycles());
	}
}

static void run_sample(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++) {
		if (i % BURST == 0)
			bench_ring_consume(forward);
		ring_write_sample(forward, i, i);
	}
}

static void run_nested(uint64_t records)
{
	for (uint64_t i = 0; i < records; i += 2) {
		if (i % BURST == 0)
			bench_ring_consume(forward);
		ring_write_nested(forward, i, i);
	}
}

static void run_backward(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++) {
		if (i % BURST == 0)
			bench_ring_consume(backward);
		ring_write(backward, i, i);
	}
}

static void run_full(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++)
		ring_write(full, i, i);
}

enum { FLOOR, FLOOR_TIME, RING, RING_TIME, SAMPLE, NESTED, BACKWARD, FULL, VARIANTS };

static struct bench_variant variants[VARIANTS] = {
	[FLOOR] = { .name = "copy and release store", .run = run_floor },
	[FLOOR_TIME] = { .name = "the same with timestamp", .run = run_floor_time },
	[RING] = { .name = "record", .run = run_ring },
	[RING_TIME] = { .name = "record with timestamp", .run = run_ring_time },
	[SAMPLE] = { .name = "sample with its period", .run = run_sample },
	[NESTED] = { .name = "record, half of them nested", .run = run_nested },
	[BACKWARD] = { .name = "record, overwritable ring", .run = run_backward },
	[FULL] = { .name = "record that is lost", .run = run_full },
};

int main(void)
{
	forward = bench_ring_new(BENCH_RING_SIZE, 0);
	backward = bench_ring_new(BENCH_RING_SIZE, TR_RING_BACKWARD);
	full = bench_ring_new(TR_PAGE, 0);
	floor_memory = aligned_alloc(TR_PAGE, BENCH_RING_SIZE);
	if (!floor_memory)
		return 1;
	bench_fill(template, 1, 1);
	bench_pin(0);
	bench_take_turns(variants, VARIANTS, RECORDS);
	bench_print(variants, VARIANTS);
	bench_figure("ring-record", bench_ratio(&variants[RING], &variants[FLOOR]), "times-floor",
	             1.5, false);
	bench_figure("ring-record-with-time",
	             bench_ratio(&variants[RING_TIME], &variants[FLOOR_TIME]), "times-floor", 1.1,
	             false);
	bench_figure("ring-nested", bench_ratio(&variants[NESTED], &variants[RING]), "times-flat",
	             1.2, false);
	bench_figure("ring-backward", bench_ratio(&variants[BACKWARD], &variants[RING]),
	             "times-forward", 1.01, false);
	bench_figure("ring-lost", bench_ratio(&variants[FULL], &variants[RING]), "times-written", 1,
	             false);
	return 0;
}
