/* SPDX-License-Identifier: MIT */
/*
 * Makes a recording in RAM survive a reset. A reset loses data that is only in a cache, so each
 * tick writes ("cleans") cache lines to memory: first the records, then the heads and ledgers that
 * announce them, then the kept_ words that confirm them (docs/crash-store.md).
 *
 *	records, AUX area	[kept, head) cleaned
 *	heads, ledgers		cleaned
 *	wait
 *	kept_head, kept_aux_head, kept_seal	stored, then cleaned
 *
 * A cache may also write back any line by itself at any time. The order still holds: kept_head is
 * stored only after the records before it are in memory, so if kept_head is in memory, so are the
 * records.
 */
#ifndef RINGBUF_KEEP_H
#define RINGBUF_KEEP_H

#include "ringbuf/aux.h"

#define RING_KEEP_TICK 65536U /* limit of the record and AUX bytes that one tick cleans */

struct ring_keep {
	const struct ring *ring;
	const struct ring_aux *aux; /* NULL: no AUX area */
	const uint8_t *area;        /* the AUX area's bytes */
	struct tr_ring_ledger *ledger;
	/* The ledgers of the events that write to the ring, in order, stride bytes apart. */
	const struct tr_event_ledger *events;
	unsigned nr_events;
	uint64_t stride;
	bool has_reader; /* set by the caller: a reader is announced */
	/* memory holds everything before these, as ring->published and aux->head count */
	uint64_t head, aux_head;
};

/* Cleans at most `most` bytes (a multiple of 8) of records and AUX area; the next call continues.
 * Of a backward ring, cleans all new bytes. Call after the ledgers are published, on the ring's
 * CPU, or in a panic on any CPU. Any context. */
void ring_keep(struct ring_keep *keep, uint64_t most);

#endif
