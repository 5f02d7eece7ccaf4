/* SPDX-License-Identifier: MIT */
/* Groups that fill an AUX area together with others, on two fake sources: the order of add, start
 * and stop, and a CPU that lacks an event. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"
#include "pmu/context.h"
#include "pmu/sample.h"
#include "pmu/sampling.h"

#define MS 1000000ULL

/* ---- Two sources that write down what they are asked ---- */

static char said[512];
static int refusal; /* returned by the AUX source's add */
static unsigned counters;
static uint64_t stop_takes; /* ns */

static void say(const char *what, const struct perf_event *event)
{
	size_t used = strlen(said);

	snprintf(said + used, sizeof(said) - used, "%s%u ", what, event->evsel);
}

static int add(struct perf_event *event)
{
	if (event->pmu->source.flags & PMU_AUX && refusal)
		return refusal;
	if (!(event->pmu->source.flags & PMU_AUX) && !counters)
		return -EAGAIN;
	counters -= event->pmu->source.flags & PMU_AUX ? 0 : 1;
	say("add", event);
	return 0;
}

static void del(struct perf_event *event)
{
	counters += event->pmu->source.flags & PMU_AUX ? 0 : 1;
	say("del", event);
}

static void start(struct perf_event *event)
{
	say("on", event);
}

static void stop(struct perf_event *event)
{
	say("off", event);
	host_fake_cycles += stop_takes;
}

static const struct pmu pmu_counter = {
	.source.name = "counter", .add = add, .del = del, .start = start, .stop = stop
};
static const struct pmu pmu_trace = { .source.name = "trace",
	                              .source.flags = PMU_AUX,
	                              .add = add,
	                              .del = del,
	                              .start = start,
	                              .stop = stop };

/* ---- The rig ---- */

static struct perf_event events[5];
static unsigned nr_events;
static struct perf_event_context context;
static const struct perf_event *failed;
static const struct arch_regs regs = { .pc = 0x1234 };

static int set_up(void **state)
{
	(void)state;
	memset(events, 0, sizeof(events));
	memset(said, 0, sizeof(said));
	nr_events = 0;
	refusal = 0;
	counters = 4;
	stop_takes = 0;
	host_fake_cycles = 1000 * MS;
	clock_set(&machine_clock, NSEC_PER_SEC, host_fake_cycles);
	return timer_init();
}

/* Add a group: a letter per event, c counts, t traces. */
static void add_group(const char *members)
{
	struct perf_event *leader = &events[nr_events];

	leader->nr_members = (unsigned)strlen(members);
	for (const char *m = members; *m; m++, nr_events++) {
		struct perf_event *event = &events[nr_events];

		event->attr.size = sizeof(event->attr);
		event->pmu = *m == 't' ? &pmu_trace : &pmu_counter;
		event->evsel = nr_events;
		event->group_leader = leader;
		assert_int_equal(sampling_init(event), 0);
	}
}

static int begin(void)
{
	return context_start(&context, events, nr_events, &failed);
}

static void expect(const char *text)
{
	assert_string_equal(said, text);
	memset(said, 0, sizeof(said));
}

static void pass(uint64_t ns)
{
	while (ns) {
		uint64_t some = ns < MS ? ns : MS;

		fake_cpu_run(some, 0, &regs);
		ns -= some;
	}
}

/* ---- The claims ---- */

static void a_tracing_event_claims_first_starts_last_and_stops_first(void **state)
{
	(void)state;
	add_group("c");
	add_group("tc");
	add_group("t");
	assert_int_equal(begin(), 0);
	expect("add1 add2 add3 add0 on0 on2 on1 on3 ");
	for (unsigned i = 0; i < nr_events; i++)
		assert_int_equal(events[i].state, EVENT_ACTIVE);
	context_stop(&context);
	expect("off1 off3 off2 del1 del2 del3 off0 del0 ");
	for (unsigned i = 0; i < nr_events; i++)
		assert_int_equal(events[i].state, EVENT_OFF);
	assert_int_equal(counters, 4);
}

static void a_trace_events_time_begins_and_ends_with_the_trace(void **state)
{
	(void)state;
	add_group("ct");
	assert_int_equal(begin(), 0);
	pass(5 * MS);
	context_stop(&context);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(events[i].time_enabled, 5 * MS);
		assert_int_equal(events[i].time_running, 5 * MS);
	}
	assert_int_equal(set_up(state), 0);
	add_group("ct");
	assert_int_equal(begin(), 0);
	stop_takes = 1 * MS;
	context_stop(&context);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(events[i].time_enabled, 2 * MS);
	assert_int_equal(events[0].time_running, 2 * MS);
	assert_int_equal(events[1].time_running, 1 * MS);
}

/* Its counter is one of those that the others share. */
static void a_group_that_traces_takes_no_turns(void **state)
{
	(void)state;
	counters = 2;
	add_group("tc");
	add_group("c");
	add_group("c");
	assert_int_equal(begin(), 0);
	assert_false(events[0].rotates);
	assert_true(events[2].rotates);
	assert_true(events[3].rotates);
	memset(said, 0, sizeof(said));
	pass(8 * MUX_INTERVAL_NS);
	assert_null(strstr(said, "off0"));
	assert_null(strstr(said, "off1"));
	assert_non_null(strstr(said, "off2 del2 add3 on3 "));
	assert_non_null(strstr(said, "off3 del3 add2 on2 "));
	context_stop(&context);
	assert_int_equal(events[0].time_running, 8 * MUX_INTERVAL_NS);
	assert_int_equal(events[2].time_running, 4 * MUX_INTERVAL_NS);
	assert_int_equal(events[3].time_running, 4 * MUX_INTERVAL_NS);
	assert_int_equal(context.rotations, 8);
}

static void on_a_cpu_that_lacks_it_a_trace_stays_off_and_the_others_count(void **state)
{
	(void)state;
	refusal = -ENXIO;
	add_group("t");
	add_group("c");
	assert_int_equal(begin(), 0);
	expect("add1 on1 ");
	assert_int_equal(events[0].state, EVENT_OFF);
	pass(3 * MS);
	context_stop(&context);
	expect("off1 del1 ");
	assert_int_equal(events[0].time_enabled, 0);
	assert_int_equal(events[1].time_running, 3 * MS);
}

static void a_trace_that_is_refused_refuses_all(void **state)
{
	(void)state;
	add_group("t");
	add_group("c");
	refusal = -EBUSY;
	assert_int_equal(begin(), -EBUSY);
	assert_ptr_equal(failed, &events[0]);
	expect("");
	assert_int_equal(events[0].state, EVENT_OFF);
	assert_int_equal(events[1].state, EVENT_OFF);
	assert_int_equal(fake_timer_deadline, 0);
}

/* A group gives back the counters that its first members have taken, if a later one gets none. */
static void a_group_of_which_a_member_finds_no_room_gives_all_back(void **state)
{
	(void)state;
	counters = 1;
	add_group("ctc");
	assert_int_equal(begin(), -EAGAIN);
	assert_ptr_equal(failed, &events[2]);
	expect("add0 add1 del0 del1 ");
	assert_int_equal(counters, 1);
}

/* An area that the source has stopped itself, such as a trace without room, is not stopped again.
 * */
static void a_stopped_event_is_only_given_back(void **state)
{
	(void)state;
	add_group("t");
	assert_int_equal(begin(), 0);
	event_set_state(&events[0], EVENT_THROTTLED, clock_now());
	memset(said, 0, sizeof(said));
	context_stop(&context);
	expect("del0 ");
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_tracing_event_claims_first_starts_last_and_stops_first),
		TEST(a_trace_events_time_begins_and_ends_with_the_trace),
		TEST(a_group_that_traces_takes_no_turns),
		TEST(on_a_cpu_that_lacks_it_a_trace_stays_off_and_the_others_count),
		TEST(a_trace_that_is_refused_refuses_all),
		TEST(a_group_of_which_a_member_finds_no_room_gives_all_back),
		TEST(a_stopped_event_is_only_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
