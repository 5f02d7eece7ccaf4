/* SPDX-License-Identifier: MIT */
#include "pmu/group.h"

#include "pmu/throttle.h"
#include "pmu/usual_sample.h"

static void group_give_back_some(struct perf_event *leader, unsigned members)
{
	for (unsigned i = 0; i < members; i++)
		leader[i].pmu->del(&leader[i]);
}

int group_claim(struct perf_event *leader, const struct perf_event **failed)
{
	for (unsigned i = 0; i < leader->nr_members; i++) {
		int code = leader[i].pmu->add(&leader[i]);

		if (!code)
			continue;
		group_give_back_some(leader, i);
		*failed = &leader[i];
		return code;
	}
	return 0;
}

void group_give_back(struct perf_event *leader)
{
	group_give_back_some(leader, leader->nr_members);
}

int group_sched_in(struct perf_event *leader, uint64_t now, const struct perf_event **failed)
{
	int code = group_claim(leader, failed);

	for (unsigned i = 0; i < leader->nr_members && !code; i++) {
		struct perf_event *event = &leader[i];

		throttle_report_end(event, now);
		event_set_state(event, EVENT_ACTIVE, now);
		usual_sample_prepare(event);
		event->pmu->start(event);
	}
	return code;
}

void group_sched_out(struct perf_event *leader, uint64_t now)
{
	for (unsigned i = 0; i < leader->nr_members; i++) {
		struct perf_event *event = &leader[i];

		if (event->state == EVENT_ACTIVE)
			event->pmu->stop(event);
		event_set_state(event, EVENT_INACTIVE, now);
	}
	group_give_back(leader);
}
