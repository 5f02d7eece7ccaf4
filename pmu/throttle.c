/* SPDX-License-Identifier: MIT */
#include "pmu/throttle.h"

#include "pmu/clock.h"
#include "pmu/sample.h"
#include "pmu/tick.h"

void throttle_set(struct perf_event *event, uint64_t rate)
{
	const uint64_t ticks = NSEC_PER_SEC / TICK_NS;
	uint64_t limit = (rate + ticks - 1) / ticks;

	event->throttle = (struct throttle){
		.window = clock_span_to_cycles(&machine_clock, TICK_NS),
		.limit = limit < UINT32_MAX ? (uint32_t)limit : 0,
	};
}

/* {header, time, id, stream_id} and the trailer: perf_event_open(2), PERF_RECORD_THROTTLE. */
static void tell(struct perf_event *event, uint32_t type, uint64_t now)
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
	event->told = true;
	tell(event, PERF_RECORD_THROTTLE, now);
	for (struct perf_event *e = leader; e < leader + leader->nr_members; e++) {
		if (e->pmu != event->pmu || e->state != EVENT_ACTIVE)
			continue;
		e->pmu->stop(e);
		event_set_state(e, EVENT_THROTTLED, now);
	}
}

void throttle_tell_end(struct perf_event *event, uint64_t now)
{
	if (!event->told)
		return;
	event->told = false;
	event->throttle.samples = 0;
	tell(event, PERF_RECORD_UNTHROTTLE, now);
}

void throttle_end(struct perf_event *event, uint64_t now)
{
	if (event->state != EVENT_THROTTLED)
		return;
	throttle_tell_end(event, now);
	event_set_state(event, EVENT_ACTIVE, now);
	event->pmu->start(event);
}
