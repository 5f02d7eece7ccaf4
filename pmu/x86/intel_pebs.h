/* SPDX-License-Identifier: MIT */
/*
 * Intel's precise event-based sampling (PEBS): when a counter overflows, the CPU itself writes a
 * record of the next instruction that has the event (SDM volume 3B, "Precise Event Based
 * Sampling").
 *
 * The records lie in two halves of the event's memory. The interrupt at a half's threshold only
 * switches to the other half. The tick, or an event's stop, makes the records samples. Events whose
 * samples need the state at their time (callchains, counts of groups, branch stacks) have an
 * interrupt for each record, whose handler makes the sample.
 *
 * A distance of n events is n - 1 up to the overflow and the recorded one. The CPU reloads the
 * counter when it records. So event->count is the distances of the records and the counter's value
 * since the last one; events between an overflow and its record are not counted.
 */
#ifndef PMU_X86_INTEL_PEBS_H
#define PMU_X86_INTEL_PEBS_H

#include "pmu/pmu.h"

#define INTEL_PEBS_MEMORY (64U << 10) /* bytes */

/* Check attr's precise_ip, and set event->why on an error: -ENODEV: this CPU has no records that we
 * know; -EOPNOTSUPP: no precise event. Sets *select, an event select value, to a precise event that
 * counts the same. Thread. Returns 0 for an event without precise samples. */
int intel_pebs_init(struct perf_event *event, uint64_t *select);

/* Of candidate counters, those that can sample the event. */
uint64_t intel_pebs_candidates(const struct perf_event *event, uint64_t counters);

/* Whether the event's samples need the state at their time: an interrupt for each record. */
bool intel_pebs_needs_at_once(const struct perf_event *event);

/* The least latency of a load that attr asks for, cycles. */
uint64_t intel_pebs_latency(const struct perf_event_attr *attr);

/* Take PEBS and the debug store of event->cpu, the calling CPU, while there are users. -EBUSY:
 * another driver has the debug store, or another event another load latency; -ENOMEM: the event has
 * no memory. Counters frozen. These do nothing for other events. */
int intel_pebs_add(struct perf_event *event);
void intel_pebs_del(const struct perf_event *event);

/* Start to record event on its counter. Returns the distance to program the counter with. Counters
 * frozen. */
uint64_t intel_pebs_start(struct perf_event *event);

/* The event's counter is off: write its last samples. */
void intel_pebs_stop(const struct perf_event *event);

/* event->count as of now. Any context. */
uint64_t intel_pebs_count(const struct perf_event *event);

/* Whether counters of this CPU record now. Any context. */
bool intel_pebs_runs(unsigned cpu);

/* The handler of the counters: status is IA32_PERF_GLOBAL_STATUS. Returns it without the overflows
 * of recording counters. Counters frozen. NMI. */
uint64_t intel_pebs_serve(unsigned cpu, uint64_t status);

/* Make samples of all records. Counters frozen. Interrupts masked. */
void intel_pebs_drain(unsigned cpu);

/* The operation memory of struct pmu. */
uint64_t intel_pebs_memory(const struct perf_event *event);

#endif
