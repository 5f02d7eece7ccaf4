/* SPDX-License-Identifier: MIT */
/* Switch one event or one group on and off, as pmu/context.c does for all events of a CPU. */
#ifndef TESTS_EVENT_SWITCH_H
#define TESTS_EVENT_SWITCH_H

#include "pmu/clock/clock.h"
#include "pmu/group.h"

/* leader: a group's leader, on its own CPU, with interrupts masked. Returns 0 or the source's
 * error. */
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
