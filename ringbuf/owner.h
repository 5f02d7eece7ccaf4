/* SPDX-License-Identifier: MIT */
/*
 * The owner of a ring: the event whose reader a wakeup notifies, whichever event's record caused
 * the wakeup.
 *
 * The handshake with the reader (ringbuf/reader/ring_reader.h), which loses no wakeup:
 *
 *	firmware			reader
 *	publish data_head		clear pending
 *	full fence		(E)	full fence		(F)
 *	exchange pending for 1		re-read data_head
 *	was 0: ring the doorbell	nothing new: sleep
 *
 * E pairs with F: either the firmware finds pending cleared and rings, or the reader finds the new
 * head. arch_exchange() is both the fence and the exchange.
 *
 * Some emulators omit fences: QEMU's TCG does when it runs all CPUs on one thread (-icount), and
 * then its exchange is a load and a store. There the firmware may read a pending word that a reader
 * on another CPU has just cleared, and omit a wakeup. So the firmware repeats a wakeup that stayed
 * pending for a whole tick, and the wakeup at the end of a run always rings.
 */
#ifndef RINGBUF_OWNER_H
#define RINGBUF_OWNER_H

#include "abi/trace_region.h"
#include "arch/arch.h"
#include "ringbuf/fault.h"

struct ring_owner {
	uint64_t id;                  /* the owning event's perf id */
	struct tr_doorbell *doorbell; /* in the trace region */
	uint32_t wakeup_events;       /* samples; 0: wake only by bytes */
	uint32_t wakeup_watermark;    /* bytes; 0: half of the ring */
	/* Rings the doorbell with one NMI-safe store, or sets a flag for the drain loop. May be
	 * NULL if the reader polls pending. Any context. */
	void (*notify)(void *context, uint32_t vector);
	void *context;   /* argument for notify */
	uint32_t vector; /* index of the doorbell */

	/* private, NMI-safe: sent = sum of causes - coalesced */
	uint64_t causes[TR_WAKEUP_CAUSES];
	uint64_t sent;
	uint64_t coalesced;
	uint64_t repeated;     /* rings repeated for a wakeup that was already sent */
	uint64_t sent_by_tick; /* the value of sent at the last ring_owner_tick() */
};

/* Call once per tick: rings again if a wakeup has been pending since before the last tick. A slow
 * reader then wakes once more than needed. IRQ, on the ring's CPU. */
void ring_owner_tick(struct ring_owner *owner);

#define RING_STORE_BUFFER_SPINS 100000

/* Fault builds replace the exchange by a load and a store. Nothing orders these two after the store
 * to data_head, or makes them atomic. */
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
		return; /* a fault build must show its fault, so no repetition may hide it */
	arch_add_local(&owner->repeated, 1);
	owner->notify(owner->context, owner->vector);
}

/* Counts the cause and notifies the owner unless a wakeup is pending. Publish the data before the
 * call. Any context. */
static inline void ring_owner_wake(struct ring_owner *owner, enum tr_wakeup_cause cause)
{
	arch_add_local(&owner->causes[cause], 1);
	if (ring_owner_pending_was_set(owner->doorbell)) {
		arch_add_local(&owner->coalesced, 1);
		if (cause == TR_WAKEUP_END)
			ring_owner_repeat(owner); /* no later tick would repeat it */
		return;
	}
	arch_add_local(&owner->sent, 1);
	if (owner->notify)
		owner->notify(owner->context, owner->vector);
}

#endif
