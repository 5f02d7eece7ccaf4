/* SPDX-License-Identifier: MIT */
/*
 * The events of one CPU, on the counters that it has. Where those do not suffice, the groups take
 * turns: at each interval all that compete for a source's counters leave them, and the next in the
 * round is the first to choose, so that every group gets on at least once a round. Others fill what
 * is left. A partial period waits with its event.
 *
 * At a turn everything stops and starts at the same reading of the clock, so of n events that fit
 * m at a time the times add up exactly: sum of time_running = m * time_enabled.
 */
#ifndef PMU_CONTEXT_H
#define PMU_CONTEXT_H

#include "pmu/pmu.h"
#include "pmu/timer.h"

#define MUX_INTERVAL_NS 4000000ULL /* perf's perf_event_mux_interval_ms */

struct perf_event_context {
	struct perf_event *events; /* groups one behind the other */
	unsigned nr_events;
	unsigned first; /* leader that chooses first; one that rotates, if any does */
	struct timer timer;
	uint64_t interval; /* cycles */
	bool paused;
	bool takes_turns; /* from when it was paused, once it goes on */
	uint64_t rotations;
};

/* Have all events count, in turns if need be; their groups are set. On an error nothing does, and
 * *failed is the event that it is about: -EAGAIN means that its group needs more counters than
 * there are, even alone. On the events' CPU with interrupts masked. */
int context_start(struct perf_event_context *context, struct perf_event *events, unsigned nr_events,
                  const struct perf_event **failed);

/* Stop all; counts and times are final afterwards. As above. */
void context_stop(struct perf_event_context *context);

/* Nothing counts from stand to go: the CPU's own code in between, which runs nothing of the traced
 * program, is in no count. Nor is it in any time, once context_pass() was told of it: time_enabled,
 * time_running, cpu-clock and what timers are due have none of [from, to), arch_cycles(); from is
 * the last to, or stand's. Handler that interrupted a thread, before it has taken the time. */
void context_stand(struct perf_event_context *context);
void context_pass(struct perf_event_context *context, uint64_t from, uint64_t to);
void context_go(struct perf_event_context *context);

/* The clock has stood, too (pmu/clock/clock_freeze.h), and cycles are now: what the events have of it is
 * made new. Between the last context_pass() and context_go(). */
void context_frozen(struct perf_event_context *context, uint64_t cycles);

/* Sample all that samples, and can be told so, factor times as seldom as its attr says, from its
 * next sample on; 1: as it says. No count, sum or time changes. factor: 1 to TR_SLOWEST. IRQ. */
void context_slow(struct perf_event_context *context, uint64_t factor);

/* Nothing counts or samples, and no time passes for the events, from pause to resume; they keep
 * their counters. Of contexts that no event of fills an AUX area. Interrupts masked, IRQ, or NMI
 * that interrupted no handler. */
void context_pause(struct perf_event_context *context);
void context_resume(struct perf_event_context *context);

/* Pause what has just been started as if it never had been, unless it has sampled. As above. */
void context_start_paused(struct perf_event_context *context);

/* The work of each tick: throttled events resume, rare ones get a shorter period for -F. IRQ. */
void context_tick(struct perf_event_context *context);

#endif
