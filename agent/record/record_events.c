/* SPDX-License-Identifier: MIT */
/* The events of a recording, and their attributes. */
#include "agent/record/record_events.h"

#include <errno.h>

#include "agent/record/recording.h"
#include "agent/tables.h"
#include "arch/hosted.h"
#include "pmu/branch_stack.h"
#include "pmu/callchain.h"
#include "pmu/mark.h"

/* Words of a typical callchain. AAVMF's images keep frame pointers, OVMF's do not. */
#define CHAIN_WITH_FRAMES    16U
#define CHAIN_WITHOUT_FRAMES 4U

static void record_events_clear_period(struct perf_event_attr *attr)
{
	attr->sample_period = 0;
	attr->flags &= ~PERF_ATTR_FREQ;
}

static void record_events_set_period(const struct command *command, struct perf_event_attr *attr)
{
	if (attr->sample_period)
		return;
	attr->sample_period = command->period_or_freq;
	if (!command->has_period)
		attr->flags |= PERF_ATTR_FREQ;
	if (!command->has_period && !command->has_freq && recording_fills_aux(attr))
		record_events_clear_period(attr); /* the source has its own default */
}

/* Set the attributes that all events of a run have in common. */
static void record_events_complete_attr(const struct command *command, struct perf_event_attr *attr)
{
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	                    PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	attr->flags |= PERF_ATTR_SAMPLE_ID_ALL;
	attr->sample_max_stack = CALLCHAIN_MAX;
	if (command->overwrite)
		attr->flags |= PERF_ATTR_WRITE_BACKWARD;
	if (command->callchain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_type |= command->sample_fields;
	attr->branch_sample_type = command->branch_sample_type;
	if (attr->branch_sample_type)
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->aux_watermark = command->aux_watermark;
	attr->wakeup_events = command->wakeup_events;
	if (!command->wakeup_events) {
		attr->wakeup_watermark = command->wakeup_watermark;
		attr->flags |= PERF_ATTR_WATERMARK;
	}
	if (command->verb == COMMAND_STAT)
		record_events_clear_period(attr); /* it only counts */
	else
		record_events_set_period(command, attr);
}

/* :S is perf's "leader sampling": the leader's samples carry the counts of the whole group. */
static void record_events_complete_group(struct event_spec *leader)
{
	if (!leader->sample_read)
		return;
	for (unsigned i = 0; i < leader->members; i++) {
		struct perf_event_attr *attr = &leader[i].attr;

		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
		                    PERF_FORMAT_TOTAL_TIME_RUNNING;
		if (leader->members > 1)
			attr->read_format |= PERF_FORMAT_GROUP;
		if (i)
			record_events_clear_period(attr);
	}
}

static void record_events_complete(struct recording *r)
{
	for (unsigned i = 0; i < r->nr_events; i++) {
		record_events_complete_attr(r->command, &r->specs[i].attr);
		r->leaders[i] = r->specs[i].members ? i : r->leaders[i - 1];
	}
	for (unsigned i = 0; i < r->nr_events; i++) {
		if (r->specs[i].members)
			record_events_complete_group(&r->specs[i]);
	}
}

/* Whether the machine can count this event. */
static bool record_events_is_there(const struct recording *r, const struct event_spec *spec)
{
	struct perf_event probe = { .attr = spec->attr };

	record_events_complete_attr(r->command, &probe.attr);
	return !event_init(&probe);
}

/* Add the default events, as perf does: `record` takes cycles, or cpu-clock if the machine cannot
 * count cycles; `stat` takes all events of a list that the machine can count. */
static void record_events_default_events(struct recording *r)
{
	static const char *const recorded[] = { "cycles", "cpu-clock", NULL };
	static const char *const counted[] = {
		"cpu-clock",    "cycles",   "stalled-cycles-frontend", "stalled-cycles-backend",
		"instructions", "branches", "branch-misses",           NULL
	};
	bool all = r->command->verb == COMMAND_STAT;
	struct parse_error error;

	for (const char *const *name = all ? counted : recorded; *name; name++) {
		parse_events(*name, &image_tables.sources, &r->specs[r->nr_events], 1, &error);
		/* Only counters have branch stacks; if there are none, the user is told why. */
		if (!r->command->branch_sample_type &&
		    !record_events_is_there(r, &r->specs[r->nr_events]))
			continue;
		r->nr_events++;
		if (!all)
			return;
	}
}

/* Add the event "marks" unless it is there: the firmware's phases are recorded as marks. */
static void record_events_add_marks(struct recording *r)
{
	struct parse_error error;

	for (unsigned i = 0; i < r->nr_events; i++) {
		if (mark_is_event(&r->specs[i].attr))
			return;
	}
	if (r->nr_events < COMMAND_MAX_EVENTS &&
	    parse_events("marks", &image_tables.sources, &r->specs[r->nr_events], 1, &error) > 0)
		r->nr_events++;
}

static uint64_t record_events_rate(const struct perf_event_attr *attr)
{
	if (attr->flags & PERF_ATTR_FREQ)
		return attr->sample_freq;
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK
	           ? NSEC_PER_SEC / attr->sample_period
	           : 0;
}

/* Bytes of a typical sample: one word for the header and one for each field, and a typical
 * callchain. */
static uint64_t record_events_size(const struct perf_event_attr *attr)
{
	unsigned words = 1;

	for (uint64_t left = attr->sample_type; left; left &= left - 1)
		words++;
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		words += arch_hosted_assumes_frames() ? CHAIN_WITH_FRAMES : CHAIN_WITHOUT_FRAMES;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		words += BRANCH_STACK_SIZE(BRANCH_STACK_TYPICAL);
	return words * sizeof(uint64_t);
}

uint64_t recording_bytes_a_second(const struct recording *r)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < r->nr_events; i++) {
		const struct perf_event_attr *attr = &r->specs[i].attr;
		uint64_t rate = attr->sample_period ? record_events_rate(attr) : 0;

		if (rate == 0 && attr->sample_period && !mark_is_event(attr))
			return 0;
		bytes += rate * record_events_size(attr);
	}
	return bytes;
}

int recording_choose_events(struct recording *r)
{
	r->nr_events = r->command->nr_events;
	for (unsigned i = 0; i < r->nr_events; i++)
		r->specs[i] = r->command->events[i];
	if (!r->nr_events)
		record_events_default_events(r);
	if (r->command->boot)
		record_events_add_marks(r);
	record_events_complete(r);
	return recording_choose_aux(r);
}
