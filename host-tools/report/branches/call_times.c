/* SPDX-License-Identifier: MIT */
#include "host-tools/report/branches/call_times.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/event_types.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/sample.h"

#define PS_PER_NS 1000U

/* A moment whose time is not known yet. */
struct call_event {
	uint64_t executed;
	uint32_t function, depth;
	bool is_end;
};

struct call_clock {
	uint32_t cpu;
	uint64_t last;     /* ns: the trace's last stamp; 0: none */
	uint64_t begin;    /* ns: when the trace began; valid if is_begin_known */
	uint64_t stamp;    /* ns: the stamp before the waiting events */
	uint64_t executed; /* instructions up to that stamp */
	bool is_begin_known, has_stamp;
	struct call_event *events; /* waiting for the next stamp */
	uint32_t count, room;
};

static struct call_clock *find_clock(struct call_times *times, uint32_t cpu)
{
	struct call_clock *clocks;
	uint32_t number;

	clocks = array_of_cpu(times->clocks, &times->clock_count, sizeof(*clocks), cpu, &number);
	if (!clocks)
		return NULL;
	times->clocks = clocks;
	return &clocks[number];
}

/* ---- When a trace begins ---- */

static int learn_last(void *context, struct perf_reader *reader,
                      const struct perf_event_header *record)
{
	const struct perf_reader_event *event = perf_reader_event_of(reader, record);
	struct call_clock *clock;
	struct sample sample;

	if (record->type != PERF_RECORD_AUX || !event ||
	    !sample_parse_trailer(record, event->attr.sample_type, &sample))
		return 0;
	clock = find_clock(context, sample.cpu);
	if (!clock)
		return -ENOMEM;
	clock->last = sample.time;
	return 0;
}

static bool is_branch_trace(const struct tr_event *event)
{
	return event->attr.type == PERF_TYPE_INTEL_BTS || event->attr.type == PERF_TYPE_BRANCH_STEP;
}

static void learn_begins(struct call_times *times, const struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->head.event_count; i++) {
		const struct ledger_event *event = &ledger->events[i];

		for (uint32_t k = 0; is_branch_trace(&event->event) && k < times->clock_count;
		     k++) {
			struct call_clock *clock = &times->clocks[k];

			if (clock->cpu != event->event.cpu)
				continue;
			clock->is_begin_known = event->ledger.time_running < clock->last;
			clock->begin = clock->last - event->ledger.time_running;
		}
	}
}

/* ---- Times ---- */

static int show_event(struct call_times *times, uint32_t cpu, const struct call_event *event,
                      uint64_t time)
{
	const struct call_moment moment = { .cpu = cpu,
		                            .time = time,
		                            .function = event->function,
		                            .depth = event->depth,
		                            .is_end = event->is_end };

	return times->show(times->context, &moment);
}

/* Show the waiting events: they lie between two times (ns). executed: instructions up to the later
 * time. */
static int show_events(struct call_times *times, struct call_clock *clock, uint64_t since,
                       uint64_t until, uint64_t executed)
{
	const double instructions = (double)(executed - clock->executed);
	const double span = until > since ? (double)(until - since) * PS_PER_NS : 0;
	int code = 0;

	for (uint32_t i = 0; !code && i < clock->count; i++) {
		const double part = (double)(clock->events[i].executed - clock->executed);
		uint64_t time = since * PS_PER_NS;

		if (instructions > 0)
			time += (uint64_t)(span * (part / instructions));
		code = show_event(times, clock->cpu, &clock->events[i], time);
	}
	clock->count = 0;
	clock->stamp = until;
	clock->executed = executed;
	clock->has_stamp = true;
	return code;
}

static int stamp(void *context, const struct call_cpu *cpu, uint64_t time)
{
	struct call_times *times = context;
	struct call_clock *clock = find_clock(times, cpu->cpu);
	uint64_t since, instructions;

	if (!clock)
		return -ENOMEM;
	instructions = cpu->executed - clock->executed;
	if (clock->has_stamp)
		since = clock->stamp;
	else if (clock->is_begin_known)
		since = clock->begin < time ? clock->begin : time;
	else
		since = instructions < time ? time - instructions : 0;
	return show_events(times, clock, since, time > since ? time : since, cpu->executed);
}

static int end_line(void *context, const struct call_cpu *cpu)
{
	const struct call_moment gap = { .cpu = cpu->cpu, .is_gap = true };
	struct call_times *times = context;
	struct call_clock *clock = find_clock(times, cpu->cpu);
	struct call_moment moment = gap;
	uint64_t until;
	int code;

	if (!clock)
		return -ENOMEM;
	until = clock->stamp;
	if (!clock->has_stamp)
		until = cpu->executed; /* the trace has no stamp at all */
	code = show_events(times, clock, clock->stamp, until, cpu->executed);
	moment.time = until * PS_PER_NS;
	return code ? code : times->show(times->context, &moment);
}

static int add_event(void *context, const struct call_cpu *cpu, const struct call_frame *frame,
                     bool is_end)
{
	struct call_times *times = context;
	struct call_clock *clock = find_clock(times, cpu->cpu);
	struct call_event *events;

	if (!clock)
		return -ENOMEM;
	events = array_reach(clock->events, &clock->room, clock->count, sizeof(*events));
	if (!events)
		return -ENOMEM;
	clock->events = events;
	events[clock->count++] = (struct call_event){
		.executed = cpu->executed,
		.function = frame->function,
		.depth = cpu->stack.depth - !is_end,
		.is_end = is_end,
	};
	return 0;
}

static int add_entered(void *context, const struct call_cpu *cpu, const struct call_frame *frame)
{
	return add_event(context, cpu, frame, false);
}

static int add_left(void *context, const struct call_cpu *cpu, const struct call_frame *frame,
                    bool is_return)
{
	(void)is_return;
	return add_event(context, cpu, frame, true);
}

int call_times_read(struct call_times *times, struct error *error)
{
	struct recording_file *file = times->walk.runs.file;
	struct error ignored = { "" }; /* a file of perf's has no ledger */
	struct ledger ledger = { 0 };
	int code = recording_file_walk(file, learn_last, times, error);

	if (!code && recording_file_ledger(file, &ledger, &ignored) == PERF_LEDGER_WHOLE)
		learn_begins(times, &ledger);
	ledger_free(&ledger);
	times->walk.entered = add_entered;
	times->walk.left = add_left;
	times->walk.timed = stamp;
	times->walk.gap = end_line;
	times->walk.context = times;
	return code ? code : call_walk_read(&times->walk, error);
}

const char *call_times_name(const struct call_times *times, uint32_t function)
{
	const char *name = call_walk_symbol(&times->walk, function).name;

	return name ? name : "[unknown]";
}

void call_times_free(struct call_times *times)
{
	for (uint32_t i = 0; i < times->clock_count; i++)
		free(times->clocks[i].events);
	free(times->clocks);
	call_walk_free(&times->walk);
	*times = (struct call_times){ 0 };
}
