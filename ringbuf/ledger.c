/* SPDX-License-Identifier: MIT */
#include "ringbuf/ledger.h"

/* In program order, which is all that a handler on this CPU can see; the host reads a consistent
 * copy when the state says that the run is over. */
static void copy(uint64_t *to, const uint64_t *from)
{
	__atomic_store_n(to, ring_load(from), __ATOMIC_RELAXED);
	ring_barrier();
}

void ring_account_publish(const struct ring_account *account, struct tr_event_ledger *ledger)
{
	copy(&ledger->written, &account->written);
	copy(&ledger->lost, &account->lost);
	copy(&ledger->period_lost, &account->period_lost);
	copy(&ledger->period, &account->period);
	copy(&ledger->generated, &account->generated);
}

static void publish_owner(const struct ring_owner *owner, struct tr_ring_ledger *ledger)
{
	copy(&ledger->coalesced, &owner->coalesced);
	copy(&ledger->sent, &owner->sent);
	copy(&ledger->repeated, &owner->repeated);
	for (unsigned i = 0; i < TR_WAKEUP_CAUSES; i++)
		copy(&ledger->causes[i], &owner->causes[i]);
}

void ring_publish_ledger(const struct ring *ring, struct tr_ring_ledger *ledger)
{
	uint64_t published = ring_load(&ring->published);
	uint64_t head = (published ^ ring->flip) - ring->flip;

	copy(&ledger->data_head, &head);
	copy(&ledger->lost_records, &ring->lost_records);
	copy(&ledger->reported, &ring->reported);
	copy(&ledger->lost, &ring->lost);
	copy(&ledger->tail_faults, &ring->tail_faults);
	if (ring->owner)
		publish_owner(ring->owner, ledger);
}
