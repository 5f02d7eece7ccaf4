/* SPDX-License-Identifier: MIT */
/*
 * Copies of the private counters for the host, at each tick, each wakeup, the end of a run and
 * in a panic. Any context; a handler in between makes a copy newer, never inconsistent: what
 * grows first is copied last, so generated >= written + lost and lost >= reported hold.
 */
#ifndef RINGBUF_LEDGER_H
#define RINGBUF_LEDGER_H

#include "ringbuf/ring.h"

/* generated, written, lost, period and period_lost; the other fields are the event core's. */
void ring_account_publish(const struct ring_account *account, struct tr_event_ledger *ledger);

/* Everything but the aux_ fields. */
void ring_publish_ledger(const struct ring *ring, struct tr_ring_ledger *ledger);

#endif
