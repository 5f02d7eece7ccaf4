/* SPDX-License-Identifier: MIT */
#include "pmu/read_format.h"

uint32_t read_format_size(const struct perf_event *event)
{
	uint64_t format = event->attr.read_format;
	bool group = format & PERF_FORMAT_GROUP;
	uint32_t each = format & PERF_FORMAT_ID ? 2 : 1;
	uint32_t words = group ? 1 + event->group_leader->nr_members * each : each;

	words += format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0;
	words += format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0;
	return 8 * words;
}

static uint64_t *read_format_put_times(uint64_t *at, uint64_t format, struct event_times times)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = times.enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = times.running;
	return at;
}

static uint64_t *read_format_put_group(uint64_t *at, struct perf_event *leader, uint64_t format,
                                       uint64_t now)
{
	*at++ = leader->nr_members;
	at = read_format_put_times(at, format, event_times(leader, now));
	for (unsigned i = 0; i < leader->nr_members; i++) {
		event_read(&leader[i]);
		*at++ = leader[i].count;
		if (format & PERF_FORMAT_ID)
			*at++ = leader[i].account.id;
	}
	return at;
}

uint64_t *read_format_put(uint64_t *at, struct perf_event *event, uint64_t now)
{
	uint64_t format = event->attr.read_format;

	if (format & PERF_FORMAT_GROUP)
		return read_format_put_group(at, event->group_leader, format, now);
	*at++ = event->count;
	at = read_format_put_times(at, format, event_times(event, now));
	if (format & PERF_FORMAT_ID)
		*at++ = event->account.id;
	return at;
}
