/* SPDX-License-Identifier: MIT */
/*
 * An event that samples more often than it may in one tick's time is stopped until the next tick,
 * and says so by THROTTLE and UNTHROTTLE: a period that is too short must not leave the machine
 * with nothing but handlers to run.
 */
#ifndef PMU_THROTTLE_H
#define PMU_THROTTLE_H

#include "pmu/pmu.h"

/* Let event write this many samples a second, counted by ticks; 0: as many as it likes. Before it
 * is enabled. Thread. */
void throttle_set(struct perf_event *event, uint64_t rate);

/* None is left: whether a tick's time has not passed meanwhile. Begins anew. IRQ or NMI. */
bool throttle_is_due(struct throttle *throttle, uint64_t now);

/* One more sample at now, ns: true if it was one too many. Within a tick's time no more than twice
 * the limit pass, and never more than the limit on average. IRQ or NMI. */
static inline bool throttle_count(struct throttle *throttle, uint64_t now)
{
	return __builtin_expect(--throttle->left == 0, 0) && throttle_is_due(throttle, now);
}

/* Stop event, with its group's others of the same source; now is ns. The source's handler. */
void throttle_begin(struct perf_event *event, uint64_t now);

/* Let event go on, if it is throttled: by the tick, and when it gets a counter anew. Between
 * disable and enable of its source. IRQ. */
void throttle_end(struct perf_event *event, uint64_t now);

/* Write UNTHROTTLE, if event owes it. IRQ. */
void throttle_tell_end(struct perf_event *event, uint64_t now);

#endif
