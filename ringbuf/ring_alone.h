/* SPDX-License-Identifier: MIT */
/*
 * A writer is alone if no other writer of the ring can interrupt it and it has interrupted none:
 *
 *	a claim of published, or head > published: not alone, as in ring.h
 *	build the record at published
 *	data_head = published + size
 *	published = published + size
 *
 * It makes no claim, because no handler will come that would check a claim, and it need not look
 * back for nested records. So its record's size may be decided last. For an interrupted writer it
 * acts like any other handler: a value of published that the interrupted writer loaded before is
 * old, so that writer's claim is invalid or not yet made. Only contexts that mask every other
 * writer of the ring may use this path: the NMI, if it cannot nest, and the context with the
 * highest priority.
 */
#ifndef RINGBUF_RING_ALONE_H
#define RINGBUF_RING_ALONE_H

#include "ringbuf/ring.h"

/*
 * Reports whether a writer that nothing can interrupt may write a record of at most this number of
 * bytes alone, at position at, which is ring_load(&ring->published). Build the record at
 * ring_place_alone(), aligned to 8, and end with ring_commit_alone(). Until then nothing has
 * changed. If false (an outer writer, or a need for the slow path), use ring_reserve().
 */
RING_FAST bool ring_is_alone(const struct ring *ring, uint64_t at, uint64_t most)
{
	if (RING_RARE(at + most > ring_look(&ring->alone)))
		return false;
	if (RING_RARE(ring_look(&ring->head) > at) ||
	    RING_RARE(ring_is_good(ring_look(&ring->claim), at)))
		return RING_FAULT(NOT_ALONE);
	return true;
}

RING_FAST void *ring_place_alone(const struct ring *ring, uint64_t at)
{
	return ring->data + (at & ring->mask);
}

/* Ends the record, which is built up to position end, aligned to 8: counts it and shows it to the
 * reader. */
RING_FAST void ring_commit_alone(struct ring *ring, struct ring_account *account, uint64_t end)
{
	account->generated++;
	account->written++;
	ring_barrier();
	ring_show_head(ring, end); /* the ring is never backward here */
	__atomic_store_n(&ring->published, end, __ATOMIC_RELAXED);
	ring_barrier();
}

#endif
