/* SPDX-License-Identifier: MIT */
/* Counts each event of the machine over a loop of known counts, and over one twice as long: the
 * difference is free of the counts that starting and stopping add. */
#include <errno.h>

#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "agent/selftest/selftest_rig.h"
#include "pmu/counter_census.h"
#include "pmu/parse/events.h"

#define TURNS 100000U
#define TIMES 3U

static int selftest_counters_loop(void *turns)
{
	selftest_loop(*(const uint64_t *)turns);
	return 0;
}

/* Count all events of rig over so many turns. Returns false if they could not be counted. */
static bool selftest_count_turns(struct selftest_rig *rig, uint64_t turns,
                                 uint64_t counts[SELFTEST_EVENTS])
{
	uint64_t before[SELFTEST_EVENTS] = { 0 };

	for (unsigned i = 0; i < rig->nr_events; i++)
		before[i] = rig->events[i].count;
	if (selftest_rig_run(rig, selftest_counters_loop, &turns, false))
		return false;
	for (unsigned i = 0; i < rig->nr_events; i++) {
		if (!rig->events[i].time_running)
			return false;
		counts[i] = rig->events[i].count - before[i];
	}
	return true;
}

/* Measure the differences that TURNS more turns make (whole: the counts of twice as many turns).
 * Event i's are at [i * TIMES]. Returns how many measurements worked. */
static unsigned selftest_count_differences(struct selftest_rig *rig, bool whole,
                                           int64_t *differences)
{
	uint64_t once[SELFTEST_EVENTS] = { 0 }, twice[SELFTEST_EVENTS] = { 0 };

	selftest_count_turns(rig, TURNS, once); /* the first run probes the counters */
	for (unsigned n = 0; n < TIMES; n++) {
		if (!selftest_count_turns(rig, TURNS, once) ||
		    !selftest_count_turns(rig, 2ULL * TURNS, twice))
			return n;
		for (unsigned i = 0; i < rig->nr_events; i++)
			differences[i * TIMES + n] =
			    (int64_t)(whole ? twice[i] : twice[i] - once[i]);
	}
	return TIMES;
}

static void counters_expect(struct selftest_count *f, uint64_t config)
{
	f->turns = TURNS;
	f->kind = SELFTEST_RARE;
	f->a_turn = 100; /* an upper bound, cycles: misses and stalls are fewer */
	if (config == PERF_COUNT_HW_INSTRUCTIONS || config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS)
		f->kind = SELFTEST_EXACT;
	if (config == PERF_COUNT_HW_INSTRUCTIONS)
		f->a_turn = SELFTEST_INSTRUCTIONS;
	if (config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS || config == PERF_COUNT_HW_BRANCH_MISSES)
		f->a_turn = SELFTEST_BRANCHES;
	if (config == PERF_COUNT_HW_CPU_CYCLES || config == PERF_COUNT_HW_REF_CPU_CYCLES ||
	    config == PERF_COUNT_HW_BUS_CYCLES)
		f->kind = SELFTEST_MOVES;
}

/* Count an event. Returns whether this CPU counts it; then f is filled in. */
static bool selftest_count_event(uint64_t config, struct selftest_count *f)
{
	struct selftest_rig *rig = selftest_rig_open(1, 0);
	int64_t differences[TIMES];
	bool there = rig && selftest_rig_add(rig, PERF_TYPE_HARDWARE, config, 0);

	if (there) {
		counters_expect(f, config);
		f->d = selftest_spread_of(
		    differences,
		    selftest_count_differences(rig, f->kind == SELFTEST_MOVES, differences));
	}
	selftest_rig_close(rig);
	return there;
}

/* perf has two names for some events. */
static bool selftest_is_alias(const struct pmu_event_name *event)
{
	for (const struct pmu_event_name *e = parse_generic_events; e < event; e++) {
		if (e->config == event->config)
			return true;
	}
	return false;
}

static void selftest_count_events(struct selftest_report *report)
{
	for (const struct pmu_event_name *e = parse_generic_events; e->name; e++) {
		struct selftest_count f = { 0 };
		struct selftest_line line = { 0 };

		if (selftest_is_alias(e) || !selftest_count_event(e->config, &f))
			continue;
		judge_count(&f, &line);
		selftest_add(report, &line, "%s", e->name);
	}
}

/* ---- All counters at once ---- */

/* Open so many copies of the same event in one group. Returns NULL if there are fewer counters. */
static struct selftest_rig *selftest_fill_counters(unsigned events)
{
	struct selftest_rig *rig = selftest_rig_open(1, 0);
	uint64_t counts[SELFTEST_EVENTS];

	while (rig && rig->nr_events < events &&
	       selftest_rig_add(rig, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0))
		;
	if (rig && rig->nr_events == events) {
		selftest_rig_group(rig);
		if (selftest_count_turns(rig, TURNS, counts))
			return rig;
	}
	selftest_rig_close(rig);
	return NULL;
}

unsigned selftest_counters_at_once(void)
{
	unsigned events = 0;
	struct selftest_rig *rig;

	while ((rig = selftest_fill_counters(events + 1))) {
		selftest_rig_close(rig);
		events++;
	}
	return events;
}

static void selftest_count_together(struct selftest_report *report)
{
	struct selftest_together f = { .counters = selftest_counters_at_once(),
		                       .expected = (int64_t)TURNS * SELFTEST_INSTRUCTIONS };
	static int64_t differences[SELFTEST_EVENTS * TIMES];
	struct selftest_rig *rig = f.counters ? selftest_fill_counters(f.counters) : NULL;
	struct selftest_line line = { 0 };

	f.low = f.high = f.expected;
	f.wrong = rig && selftest_count_differences(rig, false, differences) == TIMES ? 0
	                                                                              : f.counters;
	for (unsigned i = 0; rig && !f.wrong && i < f.counters; i++) {
		struct selftest_spread d = selftest_spread_of(differences + i * TIMES, TIMES);

		f.wrong += d.min != f.expected || d.max != f.expected;
		f.low = d.min < f.low ? d.min : f.low;
		f.high = d.max > f.high ? d.max : f.high;
	}
	selftest_rig_close(rig);
	judge_together(&f, &line);
	selftest_add(report, &line, "counters at once");
}

/* ---- CPUs ---- */

static void selftest_report_census(struct selftest_report *report, unsigned cpu)
{
	const struct counter_census *census = &counter_census[cpu];
	struct selftest_line line = { 0 };

	judge_census(&(struct selftest_census){ census->present, census->leftovers, census->foreign,
	                                        census->dead },
	             &line);
	selftest_add(report, &line, "CPU %u counters", cpu);
}

/* The test of another CPU counts the event that all other checks need. */
struct other_cpu {
	int event;
	struct selftest_count f;
};

static void selftest_count_there(void *arg)
{
	struct other_cpu *other = arg;

	selftest_count_event((uint64_t)other->event, &other->f);
}

static void selftest_count_on(struct selftest_report *report, unsigned cpu)
{
	struct other_cpu other = { .event = selftest_sampling_event() };
	struct selftest_line line = { 0 };
	int code = arch_cpu_run(cpu, selftest_count_there, &other);

	while (!code && !arch_cpu_idle(cpu))
		arch_relax();
	if (code)
		selftest_say(&line, SELFTEST_FAIL, "the CPU does not start: %s",
		             event_error_text(code));
	else
		judge_count(&other.f, &line);
	selftest_add(report, &line, "CPU %u %s", cpu,
	             other.event == PERF_COUNT_HW_INSTRUCTIONS ? "instructions" : "cycles");
	if (!code)
		selftest_report_census(report, cpu);
}

static const char *selftest_why_no_counters(void)
{
	for (const struct pmu_source *const *s = pmu_sources; *s; s++) {
		const char *why = NULL;

		if ((*s)->flags & PMU_RAW && pmu_of(*s)->probe(&why) == -EBUSY && why)
			return why;
	}
	return "no supported performance counters";
}

void selftest_counters(struct selftest_report *report)
{
	struct selftest_line line = { 0 };

	if (selftest_sampling_event() < 0) {
		selftest_say(&line, SELFTEST_ABSENT, "%s", selftest_why_no_counters());
		selftest_add(report, &line, "counters");
		return;
	}
	selftest_count_events(report);
	selftest_report_census(report, 0);
	if (selftest_sampling_event() == PERF_COUNT_HW_INSTRUCTIONS)
		selftest_count_together(report);
	for (unsigned cpu = 1; cpu < arch_cpu_count(); cpu++)
		selftest_count_on(report, cpu);
}
