/* SPDX-License-Identifier: MIT */
/*
 * Makes a recording in RAM survive a reset, which loses the lines that only a cache has. At each
 * tick the records are cleaned to memory, then the heads and ledgers that announce them, then the
 * words that vouch for them (docs/crash-store.md).
 *
 *	records, AUX area	[kept, head) cleaned
 *	heads, ledgers		cleaned
 *	wait
 *	kept_head, kept_aux_head, kept_seal	stored, then cleaned
 *
 * Whichever lines a cache writes back by itself, and when: if kept_head is in memory, so are the
 * records before it, since it is not even stored before they are.
 */
#ifndef RINGBUF_KEEP_H
#define RINGBUF_KEEP_H

#include "ringbuf/aux.h"

#define RING_KEEP_TICK 65536U /* bytes of records and AUX area that a tick cleans at the most */

struct ring_keep {
	const struct ring *ring;
	const struct ring_aux *aux; /* NULL: no AUX area */
	const uint8_t *area;        /* its bytes */
	struct tr_ring_ledger *ledger;
	/* Of the events that write to the ring: entries stride bytes apart, in their order. */
	const struct tr_event_ledger *events;
	unsigned nr_events;
	uint64_t stride;
	bool has_reader;         /* the caller's: one is announced */
	uint64_t head, aux_head; /* in memory up to here; as ring->published and aux->head count */
};

/* After the ledgers were published, on the ring's CPU; in a panic on any. Cleans no more than most
 * bytes (a multiple of 8) of records and AUX area, and what is left is the next one's; of a
 * backward ring all that is new. Any context. */
void ring_keep(struct ring_keep *keep, uint64_t most);

#endif
