/* SPDX-License-Identifier: MIT */
/*
 * Copies the private counters to the ledgers that the host reads: at each tick, at each wakeup, at
 * the end of a run and in a panic. Any context. A handler that interrupts the copy makes it newer,
 * but never inconsistent: the counter that grows first is copied last, so generated >= written +
 * lost and lost >= reported hold.
 */
#ifndef RINGBUF_LEDGER_H
#define RINGBUF_LEDGER_H

#include "ringbuf/ring.h"

/* Copies generated, written, lost, period and period_lost; the event core copies the other fields.
 */
void ring_account_publish(const struct ring_account *account, struct tr_event_ledger *ledger);

/* Copies all fields except the aux_ fields. */
void ring_publish_ledger(const struct ring *ring, struct tr_ring_ledger *ledger);

#endif
