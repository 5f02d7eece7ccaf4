/* SPDX-License-Identifier: MIT */
/*
 * The cost of a record for its writer, compared with the minimum: a plain copy of 64 bytes and a
 * release store, in the same memory, by the same loop. No reader runs (ring_live.c has one); the
 * tail is moved twice per round. "With time" means that both have a timestamp, read where the
 * record is built.
 */
#define BENCH_TURNS 301
#include "bench.h"

/* As in the firmware, whose handlers use no vector registers, neither variant may use them. */
#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("general-regs-only")
#endif
#include "bench_ring.h"
#include "ringbuf/ring_alone.h"

#define RECORDS  200000
#define BURST    (BENCH_RING_SIZE / BENCH_RECORD / 2)
#define NOINLINE __attribute__((noinline))

static struct bench_ring *forward, *backward, *full;

/* The memory of the plain copy: head and tail as in a ring, without any check. */
static struct {
	uint8_t *data; /* aligned to a page */
	uint64_t head, tail;
} bare;

/* The bytes that all variants write: the same words from the same place, filled in main(). */
static uint64_t template[BENCH_RECORD / 8];

static inline __attribute__((always_inline)) void build(uint64_t *record, bool with_time)
{
	record[0] = template[0]; /* word by word, because memcpy() would be a call */
	record[1] = template[1];
	record[2] = template[2];
	record[3] = template[3];
	record[5] = template[5];
	record[6] = template[6];
	record[7] = template[7];
	record[4] = with_time ? arch_cycles() : template[4];
}

static inline __attribute__((always_inline)) void floor_write_any(bool with_time)
{
	uint64_t head = bare.head;

	build((uint64_t *)(bare.data + (head & (BENCH_RING_SIZE - 1))), with_time);
	__atomic_store_n(&bare.head, head + sizeof(template), __ATOMIC_RELEASE);
}

/* The shortest writer: unusual cases are in functions that are not inlined. */
static inline __attribute__((always_inline)) bool ring_write_any(struct bench_ring *b, bool simple,
                                                                 bool with_time)
{
	struct ring_output out;
	uint64_t *record = simple ? ring_try(&out, &b->ring, &b->account, BENCH_RECORD)
	                          : ring_reserve(&out, &b->ring, &b->account, BENCH_RECORD);

	if (!record)
		return false;
	build(record, with_time);
	ring_commit(&out);
	return true;
}

static NOINLINE void floor_write(void)
{
	floor_write_any(false);
}

static NOINLINE void floor_write_time(void)
{
	floor_write_any(true);
}

static NOINLINE void ring_write_plainly(struct bench_ring *b)
{
	ring_write_any(b, false, false);
}

static NOINLINE void ring_write_time_plainly(struct bench_ring *b)
{
	ring_write_any(b, false, true);
}

static NOINLINE void ring_write(struct bench_ring *b)
{
	if (!ring_write_any(b, true, false))
		ring_write_plainly(b);
}

static NOINLINE void ring_write_time(struct bench_ring *b)
{
	if (!ring_write_any(b, true, true))
		ring_write_time_plainly(b);
}

/* A handler that nothing interrupts: the common path of the firmware's samples. */
static NOINLINE void ring_write_alone(struct bench_ring *b)
{
	uint64_t at = ring_load(&b->ring.published);

	if (!ring_is_alone(&b->ring, at, BENCH_RECORD)) {
		ring_write_plainly(b);
		return;
	}
	build(ring_place_alone(&b->ring, at), false);
	ring_commit_alone(&b->ring, &b->account, at + BENCH_RECORD);
}

static NOINLINE void ring_write_sample(struct bench_ring *b)
{
	struct ring_output out;
	uint64_t *record = ring_reserve_sample(&out, &b->ring, &b->account, BENCH_RECORD, 1000);

	if (!record)
		return;
	build(record, false);
	ring_commit(&out);
}

static NOINLINE void write_nested(struct bench_ring *b)
{
	struct ring_output out;
	uint64_t *record = ring_reserve(&out, &b->ring, &b->nested, BENCH_RECORD);

	if (!record)
		return;
	build(record, false);
	ring_commit(&out);
}

/* A record whose writer is interrupted by another writer. */
static NOINLINE void ring_write_nested(struct bench_ring *b)
{
	struct ring_output out;
	uint64_t *record = ring_reserve(&out, &b->ring, &b->account, BENCH_RECORD);

	if (!record)
		return;
	build(record, false);
	write_nested(b);
	ring_commit(&out);
}

#if !defined(__clang__)
#pragma GCC pop_options
#endif

/* Calls write() with a reader that keeps up. The plain copy and the ring use the same loop. */
static inline __attribute__((always_inline)) void run_bare(void (*write)(void), uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		if (i % (BURST / 2) == 0)
			__atomic_store_n(&bare.tail, bare.head, __ATOMIC_RELEASE);
		write();
	}
}

static inline __attribute__((always_inline)) void
run_writer(struct bench_ring *b, void (*write)(struct bench_ring *), uint64_t calls)
{
	for (uint64_t i = 0; i < calls; i++) {
		if (i % (BURST / 2) == 0)
			bench_ring_consume(b);
		write(b);
	}
}

static void run_floor(uint64_t records)
{
	run_bare(floor_write, records);
}

static void run_floor_time(uint64_t records)
{
	run_bare(floor_write_time, records);
}

static void run_ring(uint64_t records)
{
	run_writer(forward, ring_write, records);
}

static void run_ring_plainly(uint64_t records)
{
	run_writer(forward, ring_write_plainly, records);
}

static void run_alone(uint64_t records)
{
	run_writer(forward, ring_write_alone, records);
}

static void run_ring_time(uint64_t records)
{
	run_writer(forward, ring_write_time, records);
}

static void run_sample(uint64_t records)
{
	run_writer(forward, ring_write_sample, records);
}

static void run_nested(uint64_t records)
{
	run_writer(forward, ring_write_nested, records / 2);
}

static void run_backward(uint64_t records)
{
	run_writer(backward, ring_write, records);
}

static void run_full(uint64_t records)
{
	for (uint64_t i = 0; i < records; i++)
		ring_write(full);
}

/* Variants that are compared with each other are adjacent. */
enum {
	FLOOR,
	ALONE,
	PLAINLY,
	RING,
	NESTED,
	BACKWARD,
	FULL,
	SAMPLE,
	FLOOR_TIME,
	RING_TIME,
	VARIANTS
};

static struct bench_variant variants[VARIANTS] = {
	[FLOOR] = { .name = "copy and release store", .run = run_floor },
	[FLOOR_TIME] = { .name = "the same with timestamp", .run = run_floor_time },
	[RING] = { .name = "record", .run = run_ring },
	[ALONE] = { .name = "record, by who is alone", .run = run_alone },
	[PLAINLY] = { .name = "record, without ring_try()", .run = run_ring_plainly },
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
	bare.data = aligned_alloc(TR_PAGE, BENCH_RING_SIZE);
	if (!bare.data)
		return 1;
	bench_fill(template, 1, 1);
	bench_pin(0);
	bench_take_turns(variants, VARIANTS, RECORDS, 4 * BURST); /* twice round */
	bench_print(variants, VARIANTS);
	bench_figure("ring-record", bench_ratio(&variants[RING], &variants[FLOOR]), "times-floor",
	             1.25, false);
	bench_figure("ring-record-alone", bench_ratio(&variants[ALONE], &variants[FLOOR]),
	             "times-floor", 1.25, false);
	bench_figure("ring-record-without-try", bench_ratio(&variants[PLAINLY], &variants[FLOOR]),
	             "times-floor", 1.5, false);
	bench_figure("ring-record-with-time",
	             bench_ratio(&variants[RING_TIME], &variants[FLOOR_TIME]), "times-floor", 1.05,
	             false);
	bench_figure("ring-nested", bench_ratio(&variants[NESTED], &variants[RING]), "times-flat",
	             1.2, false);
	bench_figure("ring-backward", bench_ratio(&variants[BACKWARD], &variants[RING]),
	             "times-forward", 1.01, false);
	bench_figure("ring-lost", bench_ratio(&variants[FULL], &variants[RING]), "times-written", 1,
	             false);
	return 0;
}
