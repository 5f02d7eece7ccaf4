/* SPDX-License-Identifier: MIT */
/*
 * The owner of a ring: whom a wakeup is for, whoever's record caused it.
 *
 * Handshake with the reader (host-tools/ring_reader.h), which loses no wakeup:
 *
 *	firmware			reader
 *	publish data_head		clear pending
 *	full fence		(E)	full fence		(F)
 *	exchange pending for 1		re-read data_head
 *	was 0: ring the doorbell	nothing new: sleep
 *
 * E pairs with F: either the firmware finds pending cleared and rings, or the reader
 * finds the new head. arch_exchange() is both the fence and the exchange.
 *
 * Not everything that runs us executes fences: QEMU's TCG leaves them out while it runs all
 * CPUs on one thread (-icount), and its exchange is then a load and a store. Seen from a reader
 * on another CPU a wakeup may then be taken for pending that the reader has just consumed. So a
 * wakeup that nobody took for a whole tick is repeated, and that of the end always rings.
 */
#ifndef RINGBUF_OWNER_H
#define RINGBUF_OWNER_H

#include "ringbuf/trace_region.h"

struct ring_owner {
	uint64_t id;                  /* perf's id of the owning event */
	struct tr_doorbell *doorbell; /* in the trace region */
	uint32_t wakeup_events;       /* samples; 0: by bytes alone */
	uint32_t wakeup_watermark;    /* bytes; 0: half of the ring */
	/* One NMI-safe store, or a flag that the drain loop sees. May be NULL where the reader
	 * polls pending itself. Any context. */
	void (*notify)(struct ring_owner *owner);
	void *context;   /* notify's own */
	uint32_t vector; /* for notify: which doorbell */

	/* private, NMI-safe: sent = sum of causes - coalesced */
	uint64_t causes[TR_WAKEUP_CAUSES];
	uint64_t sent;
	uint64_t coalesced;
	uint64_t repeated;     /* rung again for a wakeup that was sent before */
	uint64_t sent_by_tick; /* sent, at the last ring_owner_tick() */
};

/* Count the cause and notify the owner unless a wakeup is pending. What the reader is to
 * find must have been published before. Any context. */
void ring_owner_wake(struct ring_owner *owner, enum tr_wakeup_cause cause);

/* Once a tick: ring again if a wakeup has been pending since before the last tick. A reader that is
 * only slow wakes for nothing. IRQ, on the ring's CPU. */
void ring_owner_tick(struct ring_owner *owner);

#endif
