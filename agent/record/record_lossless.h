/* SPDX-License-Identifier: MIT */
/*
 * `record --lossless`: the machine is ours, so the traced program can wait. A CPU whose ring has
 * less than its reserve left stands still until the reader has made room; docs/lossless.md.
 *
 *	a record leaves less than the reserve: ring->low
 *	      │ the CPU signals itself			a timer interrupt begins: the gate
 *	      ▼						      │
 *	the signal finds a thread interrupted ──▶ stands ◀────┘
 *
 * A CPU stands in a handler that has interrupted a thread, and nowhere else: so nothing of ours is
 * half done on it, no lock is held, and what a handler finds nested in another writes from the
 * reserve. Between two of these places no more is written than one outermost handler and those
 * nested in it can write, twice; the reserve is more than that. Where a thread is in a section of
 * ours that others wait for (lossless_hold()), it stands behind that.
 *
 * Together: who wants room says so in its `waits` and signals the others, each of which stands
 * until nobody waits. Nobody waits for another CPU to stand, so there is no order in which they
 * could wait for each other; whoever waits gives up by itself. tests/model/lossless.pml.
 */
#ifndef AGENT_RECORD_RECORD_LOSSLESS_H
#define AGENT_RECORD_RECORD_LOSSLESS_H

#include "agent/record/recording.h"

/* Prepare one CPU, whose ring and events are open. 0, or recording_fail()'s: the ring is too small.
 * Thread. */
int lossless_open(struct traced_cpu *c);

/* From the first event's start to the last one's stop. Thread. */
void lossless_begin(const struct recording *r);
void lossless_end(const struct recording *r);

/* All CPUs have started: from now on they stand together. Thread. */
void lossless_started(struct recording *r);

/* Stand still if this CPU has to, or another wants it to. Its handler, which has interrupted a
 * thread. */
void lossless_look(struct traced_cpu *c);

/* The calling thread has a lock that other CPUs' threads spin for, until it gives it back: a
 * section of less than a sampling period, as handlers write from the reserve meanwhile. Does not
 * nest. In it a CPU stands for an AUX area only: that has no reserve. Thread, as of the payload. */
void lossless_hold(void);
void lossless_release(void);

/* The tick's part: whether the reader that was given up has come back. IRQ. */
void lossless_tick(struct traced_cpu *c);

/* What the people in front of the machine are told, when all is over. Thread. */
void lossless_tell(const struct recording *r);

#endif
