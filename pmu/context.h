/* SPDX-License-Identifier: MIT */
/*
 * The events of one CPU, on the counters that it has. If there are too few counters, the groups
 * take turns: at each interval all groups that compete for a source's counters give them back, and
 * the next group in the round chooses first. So every group counts at least once per round. Other
 * groups fill the rest. An event keeps its partial period while it waits.
 *
 * At a turn everything stops and starts at the same reading of the clock. So of n events of which m
 * fit at a time the times add up exactly: sum of time_running = m * time_enabled.
 */
#ifndef PMU_CONTEXT_H
#define PMU_CONTEXT_H

#include "pmu/pmu.h"
#include "pmu/timer.h"

#define MUX_INTERVAL_NS 4000000ULL /* perf's perf_event_mux_interval_ms */

struct perf_event_context {
	struct perf_event *events; /* the groups, one after the other */
	unsigned nr_events;
	unsigned first; /* the leader that chooses first; a rotating one, if there is any */
	struct timer timer;
	uint64_t interval; /* cycles */
	bool paused;
	bool takes_turns; /* set by a pause; the groups take turns again after the resume */
	uint64_t rotations;
};

/* Start counting all events, in turns if there are too few counters. Their groups are set. On an
 * error nothing counts, and *failed is the event that failed: -EAGAIN means that its group needs
 * more counters than the CPU has, even alone. On the events' CPU with interrupts masked. */
int context_start(struct perf_event_context *context, struct perf_event *events, unsigned nr_events,
                  const struct perf_event **failed);

/* Stop all events; counts and times are final afterwards. On the events' CPU with interrupts
 * masked. */
void context_stop(struct perf_event_context *context);

/* Stop counting while this CPU stalls for room (`--lossless`); context_go() continues. So no count
 * includes the code in between, which is the CPU's own and not the traced program's. Each
 * context_pass(from, to) then takes [from, to), in arch_cycles(), out of all times: time_enabled,
 * time_running, cpu-clock, and the timers that are due. from is the previous call's to, or the time
 * of context_stall(). A handler that interrupted a thread, before it reads the clock. */
void context_stall(struct perf_event_context *context);
void context_pass(struct perf_event_context *context, uint64_t from, uint64_t to);
void context_go(struct perf_event_context *context);

/* The machine's clock was frozen as well (pmu/clock/clock_freeze.h); cycles is the time now. Renews
 * the events' saved readings of the clock. Between the last context_pass() and context_go(). */
void context_frozen(struct perf_event_context *context, uint64_t cycles);

/* Multiply the sampling period of every event whose source can do it by factor (1 to TR_SLOWEST; 1:
 * the period of attr), from its next sample on. No count, sum or time changes. IRQ. */
void context_slow(struct perf_event_context *context, uint64_t factor);

/* Between pause and resume nothing counts or samples, and no time passes for the events; they keep
 * their counters. No event of the context may fill an AUX area. Interrupts masked, IRQ, or an NMI
 * that interrupted no handler. */
void context_pause(struct perf_event_context *context);
void context_resume(struct perf_event_context *context);

/* Pause a context that was just started, with the counts and times of zero that it had before,
 * unless it has sampled. As above. */
void context_start_paused(struct perf_event_context *context);

/* The work of each tick: resume throttled events, and shorten the period of rare events for -F.
 * IRQ. */
void context_tick(struct perf_event_context *context);

#endif
