/* SPDX-License-Identifier: MIT */
/*
 * A writer that nothing can interrupt, and that has interrupted none, is alone until it returns:
 *
 *	a claim of published, or head > published: not alone, as in ring.h
 *	build the record at published
 *	data_head = published + size
 *	published = published + size
 *
 * It claims nothing, since nobody comes who would ask, and looks back at nothing. So its record's
 * size may be known last. To those that it has interrupted it is a handler like any other: what
 * they have loaded of published before is old, and their claim of it lapses or has not been made.
 * Only contexts that mask every other writer of the ring may take this way: the NMI, where it
 * cannot nest, and what has the highest priority.
 */
#ifndef RINGBUF_RING_ALONE_H
#define RINGBUF_RING_ALONE_H

#include "ringbuf/ring.h"

/*
 * Whether a writer that nothing can interrupt may write a record of at most so many bytes by
 * itself at position at, which is ring_load(&ring->published): build it at ring_place_alone(),
 * aligned to 8, and end with ring_commit_alone(); until then nothing has happened. If not, because
 * it is not alone or there is something to look at, ring_reserve() serves.
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

/* The record is built, up to position end, aligned to 8: count it, and let the reader have it. */
RING_FAST void ring_commit_alone(struct ring *ring, struct ring_account *account, uint64_t end)
{
	account->generated++;
	account->written++;
	ring_barrier();
	ring_show_head(ring, end); /* not backward */
	__atomic_store_n(&ring->published, end, __ATOMIC_RELAXED);
	ring_barrier();
}

#endif
