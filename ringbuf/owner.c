/* SPDX-License-Identifier: MIT */
#include "ringbuf/owner.h"

#include "arch/arch.h"
#include "ringbuf/fault.h"

#define STORE_BUFFER_SPINS 100000

/* Fault builds have a load and a store in place of the exchange, with nothing to keep them behind
 * the store to data_head, or together. */
static bool is_fenceless(void)
{
	return RING_FAULT(NO_FENCE) || RING_FAULT(STORE_BUFFER);
}

static void linger_in_store_buffer(void)
{
	for (unsigned i = 0; i < STORE_BUFFER_SPINS; i++)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static bool pending_was_set(struct tr_doorbell *doorbell)
{
	if (is_fenceless()) {
		uint32_t was = __atomic_load_n(&doorbell->pending, __ATOMIC_RELAXED);

		if (RING_FAULT(STORE_BUFFER))
			linger_in_store_buffer();
		__atomic_store_n(&doorbell->pending, 1, __ATOMIC_RELAXED);
		return was;
	}
	return arch_exchange(&doorbell->pending, 1); /* E, pairs with F in ring_reader.c */
}

static void repeat(struct ring_owner *owner)
{
	if (!owner->notify || is_fenceless())
		return; /* a fault build must not be mended by it */
	arch_add_local(&owner->repeated, 1);
	owner->notify(owner);
}

void ring_owner_wake(struct ring_owner *owner, enum tr_wakeup_cause cause)
{
	arch_add_local(&owner->causes[cause], 1);
	if (pending_was_set(owner->doorbell)) {
		arch_add_local(&owner->coalesced, 1);
		if (cause == TR_WAKEUP_END)
			repeat(owner); /* no tick comes after it */
		return;
	}
	arch_add_local(&owner->sent, 1);
	if (owner->notify)
		owner->notify(owner);
}

void ring_owner_tick(struct ring_owner *owner)
{
	uint64_t sent = __atomic_load_n(&owner->sent, __ATOMIC_RELAXED);

	if (sent == owner->sent_by_tick &&
	    __atomic_load_n(&owner->doorbell->pending, __ATOMIC_RELAXED))
		repeat(owner);
	owner->sent_by_tick = sent;
}
