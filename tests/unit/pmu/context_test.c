/* SPDX-License-Identifier: MIT */
/* Many events on few counters: which one runs, for how long, and its count. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"
#include "pmu/read_format.h"
#include "pmu/sample.h"
#include "pmu/sampling.h"
#include "tests/unit/pmu/context_rig.h"

static void a_fitting_event_is_never_taken_off(void **state)
{
	(void)state;
	context_rig_add_group(1, 0);
	context_rig_add_group(3, 7000);
	assert_int_equal(context_rig_start(4), 0);
	context_rig_run(100 * MS);
	context_stop(&context);
	assert_int_equal(context.rotations, 0);
	context_rig_check_group(&events[0], 100 * MS);
	context_rig_check_group(&events[1], 100 * MS);
	assert_int_equal(events[1].time_running, 100 * MS);
	assert_int_equal(fake.used, 0);
}

static void eight_events_share_four_counters_alike_and_the_times_are_exact(void **state)
{
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		context_rig_add_group(1, 12345);
	assert_int_equal(context_rig_start(4), 0);
	context_rig_run(1000 * MS);
	context_stop(&context);
	for (unsigned i = 0; i < 8; i++) {
		context_rig_check_group(&events[i], 1000 * MS);
		assert_in_range(events[i].time_running, 496 * MS, 504 * MS);
		sum += events[i].time_running;
	}
	assert_int_equal(sum, 4 * 1000 * MS);
	assert_int_equal(context.rotations, 1000 * MS / MUX_INTERVAL_NS);
}

static void a_group_is_on_as_a_whole_or_not_at_all(void **state)
{
	static const unsigned sizes[] = { 3, 1, 2, 4, 1 };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		context_rig_add_group(sizes[i], 0);
	assert_int_equal(context_rig_start(4), 0);
	for (unsigned step = 0; step < 400; step++) {
		context_rig_run(MS);
		for (struct perf_event *e = events; e < events + nr_events; e++)
			assert_int_equal(e->state, e->group_leader->state);
		assert_true(fake.used <= 4);
	}
	context_stop(&context);
	for (struct perf_event *e = events; e < events + nr_events; e += e->nr_members)
		context_rig_check_group(e, 400 * MS);
}

/* Any mixture of groups that fit alone: each runs in every round of turns. */
static void no_group_starves(void **state)
{
	(void)state;
	srand(2);
	for (unsigned round = 0; round < 300; round++) {
		unsigned counters = 1 + (unsigned)rand() % 6, groups = 0;
		uint64_t enabled;

		context_rig_set_up(NULL);
		while (nr_events < CONTEXT_RIG_EVENTS) {
			unsigned room = CONTEXT_RIG_EVENTS - nr_events;
			unsigned members = 1 + (unsigned)rand() % counters;

			context_rig_add_group(members < room ? members : room,
			                      rand() % 2 ? 1000 + (uint64_t)rand() % MS : 0);
			groups++;
		}
		assert_int_equal(context_rig_start(counters), 0);
		context_rig_run(20 * groups * MUX_INTERVAL_NS);
		enabled = 20 * groups * MUX_INTERVAL_NS;
		context_stop(&context);
		for (struct perf_event *e = events; e < events + nr_events; e += e->nr_members) {
			context_rig_check_group(e, enabled);
			assert_true(e->time_running >= 19 * MUX_INTERVAL_NS);
		}
		assert_int_equal(fake.used, 0);
	}
}

static void a_partial_period_waits_with_its_event(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++)
		context_rig_add_group(1, 9 * MS); /* longer than any turn */
	assert_int_equal(context_rig_start(1), 0);
	context_rig_run(360 * MS);
	context_stop(&context);
	for (unsigned i = 0; i < 3; i++) {
		context_rig_check_group(&events[i], 360 * MS);
		assert_int_equal(events[i].time_running, 120 * MS);
		assert_int_equal(events[i].account.generated, 13);
	}
}

static void a_group_that_never_fits_is_refused_and_named(void **state)
{
	(void)state;
	context_rig_add_group(2, 0);
	context_rig_add_group(5, 0);
	assert_int_equal(context_rig_start(4), -EAGAIN);
	assert_ptr_equal(failed, &events[6]);
	assert_ptr_equal(failed->group_leader, &events[2]);
	assert_int_equal(fake.used, 0);
	for (unsigned i = 0; i < nr_events; i++) {
		assert_int_equal(events[i].state, EVENT_OFF);
		assert_null(fake.on[i]);
	}
	assert_int_equal(fake_timer_deadline, 0);
}

static void a_sample_carries_the_values_of_its_whole_group(void **state)
{
	uint64_t expected[] = {
		PERF_RECORD_SAMPLE | (uint64_t)PERF_RECORD_MISC_USER << 32 | 96ULL << 48,
		2,      /* IDENTIFIER */
		3 * MS, /* TIME */
		3,      /* nr */
		3 * MS,
		3 * MS, /* time_enabled, time_running */
		3 * MS + 100,
		2, /* {value, id} of the leader, */
		3 * MS + 200,
		3, /* and of the members */
		3 * MS + 300,
		4,
	};

	(void)state;
	context_rig_add_group(1, 0);
	context_rig_add_group(3, 0);
	for (unsigned i = 1; i < 4; i++) {
		events[i].attr.sample_type |= PERF_SAMPLE_READ;
		events[i].attr.read_format = READ_FORMATS_SERVED;
		events[i].count = 100 * i;
	}
	events[1].attr.sample_period = 3 * MS + 100;
	assert_int_equal(sampling_init(&events[1]), 0);
	assert_int_equal(context_rig_start(4), 0);
	context_rig_run(4 * MS);
	context_stop(&context);
	assert_int_equal(control.data_head, sizeof(expected));
	assert_memory_equal(data, expected, sizeof(expected));
}

static void only_the_requested_values_of_an_event_are_written(void **state)
{
	static const uint64_t formats[] = { PERF_FORMAT_TOTAL_TIME_ENABLED,
		                            PERF_FORMAT_TOTAL_TIME_RUNNING, PERF_FORMAT_ID };
	const uint64_t values[] = { 3 * MS, 2 * MS, 1 };

	(void)state;
	context_rig_add_group(1, 0);
	events[0].time_enabled = 3 * MS;
	events[0].time_running = 2 * MS;
	events[0].count = 77;
	for (unsigned asked = 0; asked < 8; asked++) {
		uint64_t words[5] = { 0 }, expected[5] = { 77 };
		unsigned n = 1;

		events[0].attr.read_format = 0;
		for (unsigned i = 0; i < 3; i++) {
			if (!(asked >> i & 1))
				continue;
			events[0].attr.read_format |= formats[i];
			expected[n++] = values[i];
		}
		assert_int_equal(read_format_size(&events[0]), 8 * n);
		assert_ptr_equal(read_format_put(words, &events[0], clock_now()), words + n);
		assert_memory_equal(words, expected, sizeof(words));
		events[0].attr.read_format |= PERF_FORMAT_GROUP;
		n += 1; /* nr */
		assert_int_equal(read_format_size(&events[0]), 8 * n);
		assert_ptr_equal(read_format_put(words, &events[0], clock_now()), words + n);
	}
}

static void each_member_of_a_group_is_read_as_the_group_is(void **state)
{
	uint64_t words[10];

	(void)state;
	context_rig_add_group(3, 0);
	assert_int_equal(context_rig_start(3), 0);
	fake.unread = 17;
	for (unsigned i = 0; i < 3; i++) {
		events[i].attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
		events[i].count = 100 * i;
	}
	assert_ptr_equal(read_format_put(words, &events[0], clock_now()), words + 7);
	assert_int_equal(words[0], 3);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(words[1 + 2 * i], 100 * i + 17);
		assert_int_equal(words[2 + 2 * i], events[i].account.id);
	}
	fake.unread = 0;
	context_stop(&context);
}

static void a_cpu_that_stalls_passes_no_time(void **state)
{
	uint64_t left;

	(void)state;
	context_rig_add_group(1, 0);
	context_rig_add_group(1, 0);
	assert_int_equal(context_rig_start(1), 0);
	context_rig_run(10 * MS);
	left = context.timer.deadline - host_fake_cycles;
	context_stall(&context);
	assert_true(fake.frozen);
	for (unsigned i = 0; i < 50; i++) {
		host_fake_cycles += MS;
		context_pass(&context, host_fake_cycles - MS, host_fake_cycles);
	}
	context_go(&context);
	assert_false(fake.frozen);
	assert_int_equal(context.timer.deadline - host_fake_cycles, left);
	assert_int_equal(fake_timer_deadline, context.timer.deadline);
	context_rig_run(30 * MS);
	context_stop(&context);
	assert_int_equal(events[0].time_enabled, 40 * MS);
	assert_int_equal(events[1].time_enabled, 40 * MS);
	assert_int_equal(events[0].time_running + events[1].time_running, 40 * MS);
	assert_int_equal(events[0].count, events[0].time_running);
	assert_int_equal(events[1].count, events[1].time_running);
}

#define TEST(f) cmocka_unit_test_setup(f, context_rig_set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_fitting_event_is_never_taken_off),
		TEST(eight_events_share_four_counters_alike_and_the_times_are_exact),
		TEST(a_group_is_on_as_a_whole_or_not_at_all),
		TEST(no_group_starves),
		TEST(a_partial_period_waits_with_its_event),
		TEST(a_group_that_never_fits_is_refused_and_named),
		TEST(a_sample_carries_the_values_of_its_whole_group),
		TEST(each_member_of_a_group_is_read_as_the_group_is),
		TEST(a_cpu_that_stalls_passes_no_time),
		TEST(only_the_requested_values_of_an_event_are_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
