/* SPDX-License-Identifier: MIT */
/* One event or group by itself, on and off: what pmu/context.c does for all of a CPU's. */
#ifndef TESTS_EVENT_SWITCH_H
#define TESTS_EVENT_SWITCH_H

#include "pmu/clock/clock.h"
#include "pmu/group.h"

/* Of a leader on its CPU with interrupts masked. 0 or the source's error. */
static inline int event_enable(struct perf_event *leader)
{
	const struct perf_event *failed;
	int code;

	if (leader->pmu->disable)
		leader->pmu->disable();
	code = group_sched_in(leader, clock_now(), &failed);
	if (leader->pmu->enable)
		leader->pmu->enable();
	return code;
}

static inline void event_disable(struct perf_event *leader)
{
	uint64_t now;

	if (leader->state == EVENT_OFF)
		return;
	if (leader->pmu->disable)
		leader->pmu->disable();
	now = clock_now();
	group_sched_out(leader, now);
	event_set_state(leader, EVENT_OFF, now);
	if (leader->pmu->enable)
		leader->pmu->enable();
}

#endif
