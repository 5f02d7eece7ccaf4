/* SPDX-License-Identifier: MIT */
/* Throttling of an event that takes too many samples in a tick's time. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/throttle.h"
#include "tests/unit/pmu/sampling_rig.h"

static void the_limit_is_rounded_up_to_a_tick(void **state)
{
	(void)state;
	throttle_set(&event, 0);
	assert_int_equal(event.throttle.limit, 0);
	assert_int_equal(event.throttle.left, 0);
	throttle_set(&event, 1);
	assert_int_equal(event.throttle.limit, 1);
	throttle_set(&event, 1000);
	assert_int_equal(event.throttle.limit, 1);
	throttle_set(&event, 1001);
	assert_int_equal(event.throttle.limit, 2);
	assert_int_equal(event.throttle.left, 1);
}

static void one_sample_too_many_in_a_tick_is_reported(void **state)
{
	(void)state;
	throttle_set(&event, 3000);
	assert_false(throttle_count(&event.throttle, 5 * MS)); /* the first of a tick's time */
	for (unsigned i = 0; i < 2; i++)
		assert_false(throttle_count(&event.throttle, 5 * MS));
	assert_true(throttle_count(&event.throttle, 6 * MS - 1));
	throttle_set(&event, 3000);
	for (unsigned i = 0; i < 3; i++)
		assert_false(throttle_count(&event.throttle, 5 * MS));
	/* the first sample of the next tick's time */
	assert_false(throttle_count(&event.throttle, 6 * MS));
	assert_int_equal(event.throttle.since, 6 * MS);
	throttle_set(&event, 0);
	for (unsigned i = 0; i < 10; i++)
		assert_false(throttle_count(&event.throttle, 5 * MS));
}

static void throttle_and_unthrottle_have_perfs_layout(void **state)
{
	const uint64_t expected[] = {
		PERF_RECORD_THROTTLE | 40ULL << 48,   7 * MS, 70, 70, 7 * MS,
		PERF_RECORD_UNTHROTTLE | 40ULL << 48, 9 * MS, 70, 70, 9 * MS,
	};

	(void)state;
	event.account.id = 70;
	throttle_set(&event, 1000);
	event.tstamp = 5 * MS;
	throttle_begin(&event, 7 * MS);
	assert_string_equal(asked, "s");
	assert_int_equal(event.state, EVENT_THROTTLED);
	assert_int_equal(event.throttled, 1);
	assert_true(event.throttle_written);
	event.throttle = (struct throttle){ .left = 9, .since = 3, .limit = 1 };
	throttle_end(&event, 9 * MS);
	assert_string_equal(asked, "sS");
	assert_int_equal(event.state, EVENT_ACTIVE);
	assert_false(event.throttle_written);
	assert_int_equal(event.throttle.left, 1);
	assert_int_equal(event.throttle.since, 0);
	assert_int_equal(event.time_enabled, 4 * MS);
	assert_int_equal(event.time_running, 2 * MS);
	throttle_end(&event, 10 * MS); /* the event is not throttled */
	assert_string_equal(asked, "sS");
	assert_int_equal(control.data_head, sizeof(expected));
	assert_memory_equal(data, expected, sizeof(expected));
}

#define TEST(f) cmocka_unit_test_setup(f, sampling_rig_set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_limit_is_rounded_up_to_a_tick),
		TEST(one_sample_too_many_in_a_tick_is_reported),
		TEST(throttle_and_unthrottle_have_perfs_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
