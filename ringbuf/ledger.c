/* SPDX-License-Identifier: MIT */
#include "ringbuf/ledger.h"

/* In program order, which suffices for handlers on this CPU. The host reads a consistent copy once
 * the state reports that the run is over. */
static void ledger_copy(uint64_t *to, const uint64_t *from)
{
	__atomic_store_n(to, ring_load(from), __ATOMIC_RELAXED);
	ring_barrier();
}

void ring_account_publish(const struct ring_account *account, struct tr_event_ledger *ledger)
{
	ledger_copy(&ledger->written, &account->written);
	ledger_copy(&ledger->lost, &account->lost);
	ledger_copy(&ledger->period_lost, &account->period_lost);
	ledger_copy(&ledger->period, &account->period);
	ledger_copy(&ledger->generated, &account->generated);
}

static void ledger_publish_owner(const struct ring_owner *owner, struct tr_ring_ledger *ledger)
{
	ledger_copy(&ledger->coalesced, &owner->coalesced);
	ledger_copy(&ledger->sent, &owner->sent);
	ledger_copy(&ledger->repeated, &owner->repeated);
	for (unsigned i = 0; i < TR_WAKEUP_CAUSES; i++)
		ledger_copy(&ledger->causes[i], &owner->causes[i]);
}

void ring_publish_ledger(const struct ring *ring, struct tr_ring_ledger *ledger)
{
	uint64_t published = ring_load(&ring->published);
	uint64_t head = (published ^ ring->flip) - ring->flip;

	ledger_copy(&ledger->data_head, &head);
	ledger_copy(&ledger->lost_records, &ring->lost_records);
	ledger_copy(&ledger->reported, &ring->reported);
	ledger_copy(&ledger->lost, &ring->lost);
	ledger_copy(&ledger->tail_faults, &ring->tail_faults);
	if (ring->owner)
		ledger_publish_owner(ring->owner, ledger);
}
