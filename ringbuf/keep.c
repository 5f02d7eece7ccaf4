/* SPDX-License-Identifier: MIT */
#include "ringbuf/keep.h"

#include "abi/seal.h"

/* aux_tail is the last of these words */
#define HEADS      offsetof(struct perf_event_mmap_page, data_head)
#define HEADS_SIZE 64U

/* Cleans [from, from + size) of an area of size_of bytes that wraps. */
static void keep_range(const uint8_t *bytes, uint64_t size_of, uint64_t from, uint64_t size)
{
	uint64_t at = from & (size_of - 1);
	uint64_t first = size < size_of - at ? size : size_of - at;

	if (first)
		arch_memory_clean_begin(bytes + at, first);
	if (size > first)
		arch_memory_clean_begin(bytes, size - first);
}

/* Cleans from *kept towards head, at most *most bytes. Skips data that the area no longer holds. */
static uint64_t keep_next(uint64_t *kept, uint64_t head, uint64_t size, uint64_t *most)
{
	uint64_t bytes;

	if (head - *kept > size)
		*kept = head - size;
	bytes = head - *kept < *most ? head - *kept : *most;
	*most -= bytes;
	return bytes;
}

/* A reader of a forward ring continues at a record's start. A reader of a backward ring begins with
 * the newest record, so that record must be complete. */
static void keep_records(struct ring_keep *keep, uint64_t head, uint64_t *most)
{
	const struct ring *ring = keep->ring;
	uint64_t all = ring->size;
	uint64_t bytes = keep_next(&keep->head, head, ring->size, ring->flip ? &all : most);
	uint64_t from = ring->flip ? -(keep->head + bytes) : keep->head;

	keep_range(ring->data, ring->size, from, bytes);
	keep->head += bytes;
}

static void keep_aux(struct ring_keep *keep, uint64_t *most)
{
	uint64_t bytes;

	if (!keep->aux)
		return;
	bytes = keep_next(&keep->aux_head, ring_load(&keep->aux->head), keep->aux->size, most);
	keep_range(keep->area, keep->aux->size, keep->aux_head, bytes);
	keep->aux_head += bytes;
}

static const struct tr_event_ledger *keep_event(const struct ring_keep *keep, unsigned i)
{
	return (const void *)((const uint8_t *)keep->events + i * keep->stride);
}

static uint64_t keep_seal(const struct ring_keep *keep)
{
	struct tr_seal seal = { 0, 0 };

	for (unsigned i = 0; i < keep->nr_events; i++)
		tr_seal_add(&seal, keep_event(keep, i), sizeof(struct tr_event_ledger));
	return tr_ledger_seal(&seal, keep->ledger);
}

static void keep_word(uint64_t *to, uint64_t word)
{
	__atomic_store_n(to, word, __ATOMIC_RELAXED);
	ring_barrier();
}

void ring_keep(struct ring_keep *keep, uint64_t most)
{
	const struct ring *ring = keep->ring;
	struct tr_ring_ledger *ledger = keep->ledger;

	keep_records(keep, ring_load(&ring->published), &most);
	keep_aux(keep, &most);
	arch_memory_clean_begin((const uint8_t *)ring->control + HEADS, HEADS_SIZE);
	for (unsigned i = 0; i < keep->nr_events; i++)
		arch_memory_clean_begin(keep_event(keep, i), sizeof(struct tr_event_ledger));
	arch_memory_clean_begin(ledger, offsetof(struct tr_ring_ledger, kept_head));
	arch_memory_cleaned();
	keep_word(&ledger->kept_read, keep->has_reader || ring->tail != 0);
	keep_word(&ledger->kept_head, (keep->head ^ ring->flip) - ring->flip);
	keep_word(&ledger->kept_aux_head, keep->aux_head);
	keep_word(&ledger->kept_seal, keep_seal(keep));
	arch_memory_clean(&ledger->kept_head, TR_KEPT_SIZE);
}
