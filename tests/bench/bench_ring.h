/* SPDX-License-Identifier: MIT */
/* A ring to measure, and a record of 64 bytes built in its slot, as the event core builds one. */
#ifndef TESTS_BENCH_BENCH_RING_H
#define TESTS_BENCH_BENCH_RING_H

#include <stdlib.h>

#include "ringbuf/ring.h"

#define BENCH_RING_SIZE (256U << 10)
#define BENCH_RECORD    64U

struct bench_ring {
	struct ring ring;
	struct ring_account account, nested;
	struct ring_owner owner;
	struct tr_doorbell doorbell;
	uint64_t scratch[RING_LEVELS * 1024 / 8];
};

static inline struct bench_ring *bench_ring_new(uint64_t size, uint32_t flags)
{
	struct bench_ring *b =
	    aligned_alloc(TR_PAGE, (sizeof(*b) + TR_PAGE - 1) / TR_PAGE * TR_PAGE);
	uint8_t *memory = aligned_alloc(TR_PAGE, TR_PAGE + size);
	struct ring_config config = {
		.size = size,
		.flags = flags,
		.max_record = 1024,
	};

	if (!b || !memory)
		abort();
	*b = (struct bench_ring){ .account.id = 1, .nested.id = 2 };
	b->owner.doorbell = &b->doorbell;
	config.control = (struct perf_event_mmap_page *)memory;
	config.data = memory + TR_PAGE;
	config.owner = &b->owner;
	config.scratch = b->scratch;
	if (ring_init(&b->ring, &config))
		abort();
	return b;
}

/* A reader that has read everything. */
static inline void bench_ring_consume(struct bench_ring *b)
{
	b->doorbell.pending = 0;
	__atomic_store_n(&b->ring.control->data_tail, b->ring.control->data_head, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void bench_fill(uint64_t *record, uint64_t number,
                                                             uint64_t time)
{
	record[0] = PERF_RECORD_SAMPLE | (uint64_t)BENCH_RECORD << 48;
	record[1] = 1;
	record[2] = number;
	record[3] = 1ULL << 32 | 1;
	record[4] = time;
	record[5] = number;
	record[6] = 0;
	record[7] = 1000;
}

#endif
