/* SPDX-License-Identifier: MIT */
/* An event's times, counts and refusals. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/callchain.h"
#include "pmu/pmu.h"
#include "pmu/read_format.h"
#include "tests/unit/pmu/sampling_rig.h"

static void times_continue_in_the_states_that_have_them(void **state)
{
	struct event_times times;

	(void)state;
	event.time_enabled = 100;
	event.time_running = 50;
	event.tstamp = 1000;
	times = event_times(&event, 1007);
	assert_int_equal(times.enabled, 107);
	assert_int_equal(times.running, 57);
	times = event_times(&event, 999); /* a clock may go back after another CPU's reading */
	assert_int_equal(times.enabled, 100);
	assert_int_equal(times.running, 50);
	event.state = EVENT_INACTIVE;
	times = event_times(&event, 1007);
	assert_int_equal(times.enabled, 107);
	assert_int_equal(times.running, 50);
	event_set_state(&event, EVENT_OFF, 990);
	assert_int_equal(event.tstamp, 1000);
	event_set_state(&event, EVENT_OFF, 1010);
	assert_int_equal(event.time_enabled, 100);
	assert_int_equal(event.tstamp, 1010);
}

static void only_counting_events_are_read(void **state)
{
	(void)state;
	event_read(&event);
	assert_string_equal(asked, "r");
	event.state = EVENT_THROTTLED;
	event_read(&event);
	event.state = EVENT_OFF;
	event_read(&event);
	assert_string_equal(asked, "r");
}

static void everything_that_an_event_knows_is_published(void **state)
{
	struct tr_event_ledger ledger = { 0 };
	struct ring_aux area = { 0 };

	(void)state;
	event.account = (struct ring_account){
		.generated = 11, .written = 7, .lost = 4, .period = 500, .period_lost = 90
	};
	event.count = 510;
	event.sampled = 500;
	event.throttled = 3;
	event.tstamp = 1000;
	event.time_enabled = 60;
	event.time_running = 40;
	event.branches =
	    (struct branch_account){ .records = 21, .interrupts = 22, .returns = 23, .lost = 24 };
	event_publish(&event, &ledger, 1001);
	assert_int_equal(ledger.branch_records, 0); /* an event without an area has no branches */
	event.aux = &area;
	event_publish(&event, &ledger, 1001);
	assert_int_equal(ledger.generated, 11);
	assert_int_equal(ledger.written, 7);
	assert_int_equal(ledger.lost, 4);
	assert_int_equal(ledger.period, 500);
	assert_int_equal(ledger.period_lost, 90);
	assert_int_equal(ledger.count, 510);
	assert_int_equal(ledger.residue, 10);
	assert_int_equal(ledger.throttled, 3);
	assert_int_equal(ledger.time_enabled, 61);
	assert_int_equal(ledger.time_running, 41);
	assert_int_equal(ledger.branch_records, 21);
	assert_int_equal(ledger.branch_interrupts, 22);
	assert_int_equal(ledger.branch_returns, 23);
	assert_int_equal(ledger.branch_lost, 24);
	event.branches.unknown = true;
	event_publish(&event, &ledger, 1001);
	assert_true(ledger.branch_lost == TR_UNKNOWN);
	event.aux = NULL;
}

static void attributes_are_checked_to_their_bounds(void **state)
{
	(void)state;
	event.pmu = NULL;
	event.group_leader = NULL;
	event.nr_members = 0;
	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	event.attr.sample_period = MS;
	assert_int_equal(event_init(&event), 0);
	assert_ptr_equal(event.group_leader, &event);
	assert_int_equal(event.nr_members, 1);
	assert_string_equal(event.pmu->source.name, "cpu-clock");
	event.attr.sample_max_stack = CALLCHAIN_MAX;
	assert_int_equal(event_init(&event), 0);
	event.attr.sample_max_stack = CALLCHAIN_MAX + 1;
	assert_int_equal(event_init(&event), -EINVAL);
	event.attr.sample_max_stack = 0;
	assert_int_equal(event_init(&event), -EINVAL);
	event.attr.sample_max_stack = 1;
	event.attr.size++;
	assert_int_equal(event_init(&event), -EINVAL);
	event.attr.size--;
	event.attr.read_format = READ_FORMATS_SERVED;
	assert_int_equal(event_init(&event), 0);
	event.attr.read_format = 1ULL << 40;
	assert_int_equal(event_init(&event), -EOPNOTSUPP);
}

/* A member finds its leader by that address. */
static void a_members_leader_stays(void **state)
{
	struct perf_event leader = { .nr_members = 2 };

	(void)state;
	event.group_leader = &leader;
	event.nr_members = 0;
	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	event.attr.sample_period = MS;
	assert_int_equal(event_init(&event), 0);
	assert_ptr_equal(event.group_leader, &leader);
	assert_int_equal(event.nr_members, 0);
}

static void sources_are_found_by_their_type(void **state)
{
	(void)state;
	for (const struct pmu_source *const *s = pmu_sources; *s; s++) {
		const struct pmu_source *found = pmu_of_type((*s)->type);

		assert_non_null(found);
		assert_int_equal(found->type, (*s)->type);
	}
	assert_null(pmu_of_type(12345));
}

static void each_error_has_a_text_of_its_own(void **state)
{
	static const int errors[] = { -ENOENT, -ENODEV, -EINVAL, -EOPNOTSUPP, -EBUSY,
		                      -EAGAIN, -ENOMEM, -ENXIO,  -EIO,        -ETIMEDOUT };

	(void)state;
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		assert_string_not_equal(event_error_text(errors[i]), "unknown error");
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(event_error_text(errors[i]),
			                        event_error_text(errors[j]));
	}
	assert_string_equal(event_error_text(-ENOSPC), "unknown error");
	assert_string_equal(event_error_text(0), "unknown error");
}

#define TEST(f) cmocka_unit_test_setup(f, sampling_rig_set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(times_continue_in_the_states_that_have_them),
		TEST(only_counting_events_are_read),
		TEST(everything_that_an_event_knows_is_published),
		TEST(attributes_are_checked_to_their_bounds),
		TEST(a_members_leader_stays),
		TEST(sources_are_found_by_their_type),
		TEST(each_error_has_a_text_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
