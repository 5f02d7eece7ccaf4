/* SPDX-License-Identifier: MIT */
#include "pmu/throttle.h"

#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "pmu/tick.h"

/* The next sample starts a new tick's time. */
static void throttle_begin_anew(struct throttle *throttle)
{
	throttle->left = throttle->limit ? 1 : 0;
	throttle->since = 0;
}

void throttle_set(struct perf_event *event, uint64_t rate)
{
	const uint64_t ticks = NSEC_PER_SEC / TICK_NS;
	uint64_t limit = (rate + ticks - 1) / ticks;

	event->throttle.limit = limit;
	throttle_begin_anew(&event->throttle);
}

bool throttle_is_due(struct throttle *throttle, uint64_t now)
{
	bool due = throttle->since && now - throttle->since < TICK_NS;

	throttle->left = throttle->limit;
	if (!due)
		throttle->since = now;
	return due;
}

/* {header, time, id, stream_id} and the trailer: perf_event_open(2), PERF_RECORD_THROTTLE. */
static void throttle_report(struct perf_event *event, uint32_t type, uint64_t now)
{
	uint64_t size = 4 * sizeof(uint64_t) + sample_id_size(event->attr.sample_type);
	struct ring_output out;
	uint64_t *at = ring_reserve(&out, event->ring, &event->account, (uint32_t)size);

	if (!at)
		return;
	*at++ = type | size << 48;
	*at++ = now;
	*at++ = event->account.id;
	*at++ = event->account.id;
	sample_id_put(at, event, now);
	ring_commit(&out);
}

void throttle_begin(struct perf_event *event, uint64_t now)
{
	struct perf_event *leader = event->group_leader;

	event->throttled++;
	event->throttle_written = true;
	throttle_report(event, PERF_RECORD_THROTTLE, now);
	for (struct perf_event *e = leader; e < leader + leader->nr_members; e++) {
		if (e->pmu != event->pmu || e->state != EVENT_ACTIVE)
			continue;
		e->pmu->stop(e);
		event_set_state(e, EVENT_THROTTLED, now);
	}
}

void throttle_report_end(struct perf_event *event, uint64_t now)
{
	if (!event->throttle_written)
		return;
	event->throttle_written = false;
	throttle_begin_anew(&event->throttle);
	throttle_report(event, PERF_RECORD_UNTHROTTLE, now);
}

void throttle_end(struct perf_event *event, uint64_t now)
{
	if (event->state != EVENT_THROTTLED)
		return;
	throttle_report_end(event, now);
	event_set_state(event, EVENT_ACTIVE, now);
	event->pmu->start(event);
}
