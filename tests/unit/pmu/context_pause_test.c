/* SPDX-License-Identifier: MIT */
/* Events that the program pauses: nothing is counted meanwhile, and no time passes for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/pmu/context_rig.h"

static void a_pause_is_in_no_count_and_no_time(void **state)
{
	(void)state;
	context_rig_add_group(1, 0);
	context_rig_add_group(3, 7000);
	assert_int_equal(context_rig_start(4), 0);
	context_rig_run(10 * MS);
	context_pause(&context);
	for (unsigned i = 0; i < nr_events; i++)
		assert_null(fake.on[i]);
	assert_int_equal(fake.used, 4); /* no other event gets the paused events' counters */
	context_rig_run(7 * MS);
	context_resume(&context);
	context_rig_run(10 * MS);
	context_stop(&context);
	context_rig_check_group(&events[0], 20 * MS);
	context_rig_check_group(&events[1], 20 * MS);
	assert_int_equal(events[1].time_running, 20 * MS);
	assert_int_equal(fake.used, 0);
}

/* The turns continue at the same place, with the same length. */
static void multiplexed_events_share_the_remaining_counters(void **state)
{
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		context_rig_add_group(1, 0);
	assert_int_equal(context_rig_start(2), 0);
	context_rig_run(41 * MS);
	context_pause(&context);
	context_rig_run(100 * MS);
	context_resume(&context);
	context_rig_run(40 * MS);
	context_stop(&context);
	for (unsigned i = 0; i < 4; i++) {
		context_rig_check_group(&events[i], 81 * MS);
		sum += events[i].time_running;
		assert_true(events[i].time_running > 30 * MS);
	}
	assert_int_equal(sum, 2 * 81 * MS);
	assert_int_equal(fake.used, 0);
}

static void a_paused_event_stops_like_the_others(void **state)
{
	(void)state;
	context_rig_add_group(2, 7000);
	context_rig_add_group(1, 0);
	context_rig_add_group(1, 0);
	assert_int_equal(context_rig_start(3), 0);
	context_rig_run(10 * MS);
	context_pause(&context);
	context_rig_run(5 * MS);
	context_stop(&context);
	assert_int_equal(fake.used, 0);
	for (unsigned i = 0; i < nr_events; i += events[i].nr_members)
		context_rig_check_group(&events[i], 10 * MS);
	for (unsigned i = 0; i < nr_events; i++)
		assert_int_equal(events[i].state, EVENT_OFF);
}

static void a_paused_start_counts_from_the_resumption(void **state)
{
	(void)state;
	context_rig_add_group(1, 0);
	context_rig_add_group(1, 7000);
	assert_int_equal(context_rig_start(2), 0);
	context_start_paused(&context);
	context_rig_run(30 * MS);
	assert_int_equal(events[1].account.generated, 0);
	context_resume(&context);
	context_rig_run(10 * MS);
	context_stop(&context);
	context_rig_check_group(&events[0], 10 * MS);
	context_rig_check_group(&events[1], 10 * MS);
	assert_true(events[1].account.generated > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_pause_is_in_no_count_and_no_time, context_rig_set_up),
		cmocka_unit_test_setup(multiplexed_events_share_the_remaining_counters,
		                       context_rig_set_up),
		cmocka_unit_test_setup(a_paused_event_stops_like_the_others, context_rig_set_up),
		cmocka_unit_test_setup(a_paused_start_counts_from_the_resumption,
		                       context_rig_set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
