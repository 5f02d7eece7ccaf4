/* SPDX-License-Identifier: MIT */
/* Many events on few counters: a fake source with a given number of counters, whose events happen
 * once per ns, so that each count can be compared with the event's running time. */
#ifndef TESTS_UNIT_PMU_CONTEXT_RIG_H
#define TESTS_UNIT_PMU_CONTEXT_RIG_H

#include "pmu/context.h"
#include "pmu/pmu.h"

#define MS                 1000000ULL
#define CONTEXT_RIG_EVENTS 12U

/* The source's hardware. */
extern struct fake_source {
	unsigned counters, used;
	bool frozen;
	struct perf_event *on[CONTEXT_RIG_EVENTS]; /* started */
	uint64_t unread;                           /* counts that the next read adds */
} fake;

extern struct perf_event events[CONTEXT_RIG_EVENTS];
extern unsigned nr_events;
extern struct perf_event_context context;
extern const struct perf_event *failed; /* the event that context_rig_start() could not start */
extern struct perf_event_mmap_page control;
extern uint64_t data[1 << 15]; /* of the events' ring */

/* Before each test: no events. */
int context_rig_set_up(void **state);

/* One more group. */
void context_rig_add_group(unsigned members, uint64_t period);

/* context_start() of all groups, with so many counters. */
int context_rig_start(unsigned counters);

/* Let time pass, with ticks and overflows as they are due. */
void context_rig_run(uint64_t ns);

/* The group's members ran together, and each counted for as long as it ran. */
void context_rig_check_group(const struct perf_event *leader, uint64_t enabled);

#endif
