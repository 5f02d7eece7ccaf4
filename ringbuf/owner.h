/* SPDX-License-Identifier: MIT */
/*
 * The owner of a ring: whom a wakeup is for, whoever's record caused it.
 *
 * Handshake with the reader (ringbuf/reader/ring_reader.h), which loses no wakeup:
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

#include "abi/trace_region.h"
#include "arch/arch.h"
#include "ringbuf/fault.h"

struct ring_owner {
	uint64_t id;                  /* perf's id of the owning event */
	struct tr_doorbell *doorbell; /* in the trace region */
	uint32_t wakeup_events;       /* samples; 0: by bytes alone */
	uint32_t wakeup_watermark;    /* bytes; 0: half of the ring */
	/* One NMI-safe store, or a flag that the drain loop sees. May be NULL where the reader
	 * polls pending itself. Any context. */
	void (*notify)(void *context, uint32_t vector);
	void *context;   /* notify's own */
	uint32_t vector; /* which doorbell */

	/* private, NMI-safe: sent = sum of causes - coalesced */
	uint64_t causes[TR_WAKEUP_CAUSES];
	uint64_t sent;
	uint64_t coalesced;
	uint64_t repeated;     /* rung again for a wakeup that was sent before */
	uint64_t sent_by_tick; /* sent, at the last ring_owner_tick() */
};

/* Once a tick: ring again if a wakeup has been pending since before the last tick. A reader that is
 * only slow wakes for nothing. IRQ, on the ring's CPU. */
void ring_owner_tick(struct ring_owner *owner);

#define RING_STORE_BUFFER_SPINS 100000

/* Fault builds have a load and a store in place of the exchange, with nothing to keep them behind
 * the store to data_head, or together. */
static inline bool ring_owner_is_fenceless(void)
{
	return RING_FAULT(NO_FENCE) || RING_FAULT(STORE_BUFFER);
}

static inline void ring_owner_linger_in_store_buffer(void)
{
	for (unsigned i = 0; i < RING_STORE_BUFFER_SPINS; i++)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline bool ring_owner_pending_was_set(struct tr_doorbell *doorbell)
{
	if (ring_owner_is_fenceless()) {
		uint32_t was = __atomic_load_n(&doorbell->pending, __ATOMIC_RELAXED);

		if (RING_FAULT(STORE_BUFFER))
			ring_owner_linger_in_store_buffer();
		__atomic_store_n(&doorbell->pending, 1, __ATOMIC_RELAXED);
		return was;
	}
	return arch_exchange(&doorbell->pending, 1); /* E, pairs with F in ring_reader.c */
}

static inline void ring_owner_repeat(struct ring_owner *owner)
{
	if (!owner->notify || ring_owner_is_fenceless())
		return; /* a fault build must not be mended by it */
	arch_add_local(&owner->repeated, 1);
	owner->notify(owner->context, owner->vector);
}

/* Count the cause and notify the owner unless a wakeup is pending. Publish the data for the
 * reader before the call. Any context. */
static inline void ring_owner_wake(struct ring_owner *owner, enum tr_wakeup_cause cause)
{
	arch_add_local(&owner->causes[cause], 1);
	if (ring_owner_pending_was_set(owner->doorbell)) {
		arch_add_local(&owner->coalesced, 1);
		if (cause == TR_WAKEUP_END)
			ring_owner_repeat(owner); /* no tick comes after it */
		return;
	}
	arch_add_local(&owner->sent, 1);
	if (owner->notify)
		owner->notify(owner->context, owner->vector);
}

#endif
