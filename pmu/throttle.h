/* SPDX-License-Identifier: MIT */
/*
 * An event that samples more often than allowed in one tick's time is stopped until the next tick,
 * and THROTTLE and UNTHROTTLE records report it. Otherwise a period that is too short would leave
 * the CPU no time for anything but handlers.
 */
#ifndef PMU_THROTTLE_H
#define PMU_THROTTLE_H

#include "pmu/pmu.h"

/* Allow event this many samples per second, counted per tick; 0: no limit. Before the event is
 * enabled. Thread. */
void throttle_set(struct perf_event *event, uint64_t rate);

/* No sample is left: returns whether a tick's time has not passed yet, so that the event must be
 * throttled; otherwise starts a new tick's time. IRQ or NMI. */
bool throttle_is_due(struct throttle *throttle, uint64_t now);

/* Count one more sample at now (ns). Returns true if it was one too many. Within a tick's time at
 * most twice the limit pass, and on average never more than the limit. IRQ or NMI. */
static inline bool throttle_count(struct throttle *throttle, uint64_t now)
{
	return __builtin_expect(--throttle->left == 0, 0) && throttle_is_due(throttle, now);
}

/* Stop event, with the events of its group that have the same source; now is ns. In the source's
 * handler. */
void throttle_begin(struct perf_event *event, uint64_t now);

/* Resume event if it is throttled: at the tick, and when it gets a new counter. Between disable and
 * enable of its source. IRQ. */
void throttle_end(struct perf_event *event, uint64_t now);

/* Write UNTHROTTLE if the event's THROTTLE has none yet. IRQ. */
void throttle_report_end(struct perf_event *event, uint64_t now);

#endif
