/* SPDX-License-Identifier: MIT */
/*
 * `record --lossless`: a CPU whose ring has less than its reserve left stalls until the reader has
 * made room; docs/lossless.md. This is possible because no operating system needs the CPU
 * meanwhile.
 *
 *	a record leaves less than the reserve: ring->low
 *	      │ the CPU signals itself			a timer interrupt begins: the gate
 *	      ▼						      │
 *	the signal has interrupted a thread ──▶ stalls ◀──────┘
 *
 * A CPU stalls only in a handler that has interrupted a thread, so no handler of ours is half done
 * on it. A handler nested in another one does not stall; it writes into the reserve. Between two
 * points where the CPU can stall, at most two outermost handlers write, each with those nested in
 * it: least_room is enough for them. The reserve is at least 1/8 of the ring, so that a thread
 * which prints usually reaches the end of its section (lossless_hold()) before the CPU stalls.
 *
 * All CPUs stall together: a CPU that needs room sets its `waits` and signals the others, and each
 * of them stalls until no CPU waits. No CPU waits for another one to stall, so there can be no
 * deadlock; a CPU that waits too long gives up by itself. tests/model/lossless.pml is the model.
 */
#ifndef AGENT_RECORD_LOSSLESS_RECORD_LOSSLESS_H
#define AGENT_RECORD_LOSSLESS_RECORD_LOSSLESS_H

#include "agent/record/recording.h"

/* Prepare one CPU, whose ring and events are open. Returns 0, or recording_fail()'s errno if the
 * ring is too small. Thread. */
int lossless_open(struct traced_cpu *c);

/* begin: before the first event starts. end: after the last one has stopped. Thread. */
void lossless_begin(const struct recording *r);
void lossless_end(const struct recording *r);

/* All CPUs have started: from now on they stall together. Thread. */
void lossless_started(struct recording *r);

/* Stall if this CPU's ring is low, or if another CPU waits. Context: a handler that has interrupted
 * a thread. */
void lossless_look(struct traced_cpu *c);

/* The tick's part: resume stalling if a reader reads again after it was given up. Timer IRQ. */
void lossless_tick(struct traced_cpu *c);

/* Print how often no reader made room. Call it after the recording. Thread. */
void lossless_report(const struct recording *r);

#endif
