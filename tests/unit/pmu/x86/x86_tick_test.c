/* SPDX-License-Identifier: MIT */
/* If the timer has no interrupt, a counter of cycles has one: only while the user's events run. On
 * Intel's modelled registers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu/tick.h"
#include "pmu/x86/intel_pmu.h"
#include "pmu/x86/x86_tick.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"

#define model (intel_models[0])
#define REF   (1ULL << (GLOBAL_FIXED + 2))

static unsigned interrupts;

static int with_timer(void **state)
{
	(void)state;
	fake_timer_lacks = NULL;
	interrupts = 0;
	intel_model_power_on(4, true);
	return 0;
}

static int without_timer(void **state)
{
	with_timer(state);
	fake_timer_lacks = "a test";
	return 0;
}

static int end(void **state)
{
	(void)state;
	fake_timer_lacks = NULL;
	return 0;
}

static bool count_on(uint64_t events)
{
	bool interrupt = intel_model_count_on(events);

	interrupts += interrupt;
	return interrupt;
}

static void begin(struct perf_event *event, uint64_t config, uint64_t period)
{
	rig_describe(event, PERF_TYPE_HARDWARE, config, period);
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), 0);
}

static void a_timer_that_interrupts_needs_no_counter(void **state)
{
	(void)state;
	begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 0);
	assert_int_equal(x86_tick_counter(), 0);
	rig_run(10 * TICK_NS, 1000, count_on);
	assert_int_equal(interrupts, 0);
	event_disable(&rig_events[0]);
}

/* A cycle is 1 ns; the user's counter never overflows. */
static void without_one_a_counter_interrupts_twice_a_tick(void **state)
{
	(void)state;
	begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 0);
	assert_int_equal(x86_tick_counter(), REF);
	rig_run(10 * TICK_NS, 1000, count_on);
	assert_in_range(interrupts, 19, 20);
	event_disable(&rig_events[0]);
	assert_int_equal(rig_events[0].count, 10 * TICK_NS);
	assert_int_equal(rig_events[0].account.generated, 0);
}

/* Throttling stops an event in this way. */
static void the_tick_continues_while_the_users_counters_are_stopped(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	begin(event, PERF_COUNT_HW_INSTRUCTIONS, 1000);
	event->pmu->disable();
	event->pmu->stop(event);
	event->pmu->enable();
	rig_run(10 * TICK_NS, 1000, count_on);
	assert_in_range(interrupts, 19, 20);
	event->pmu->disable();
	event->pmu->start(event);
	event->pmu->enable();
	event_disable(event);
}

static void the_tick_makes_no_samples(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	begin(event, PERF_COUNT_HW_CPU_CYCLES, 100000);
	rig_run(10 * TICK_NS, 100, count_on);
	event_disable(event);
	assert_int_equal(event->account.generated, 10 * TICK_NS / 100000);
	assert_int_equal(event->account.period, 10 * TICK_NS);
}

static void the_tick_ends_with_the_last_event(void **state)
{
	(void)state;
	begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 0);
	begin(&rig_events[1], PERF_COUNT_HW_CPU_CYCLES, 0);
	event_disable(&rig_events[0]);
	assert_int_equal(x86_tick_counter(), REF);
	assert_true(model.global_control & REF);
	event_disable(&rig_events[1]);
	assert_int_equal(x86_tick_counter(), 0);
	assert_int_equal(model.global_control, 0);
	assert_int_equal(model.fixed_control, 0);
	assert_int_equal(fake_pmi_sharers(), 0);
	begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 0); /* and again */
	rig_run(10 * TICK_NS, 1000, count_on);
	assert_in_range(interrupts, 19, 20);
	event_disable(&rig_events[0]);
}

/* It keeps its counter: an event that only this counter counts is not counted, which is reported.
 * */
static void the_ticks_counter_serves_no_other_event(void **state)
{
	struct perf_event *event = &rig_events[0];

	(void)state;
	rig_describe(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0);
	assert_int_equal(event_init(event), 0);
	assert_int_equal(event_enable(event), -EAGAIN);
}

/* Counters of other users are not changed. */
static void if_that_counter_is_taken_the_tick_uses_the_next(void **state)
{
	(void)state;
	model.stuck = REF;
	begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 0);
	assert_int_equal(x86_tick_counter(), 1ULL << (GLOBAL_FIXED + 1));
	rig_run(10 * TICK_NS, 1000, count_on);
	assert_in_range(interrupts, 19, 20);
	event_disable(&rig_events[0]);
}

/* Version 1 has only general counters, and no global switch. */
static void a_general_counter_does_as_well(void **state)
{
	(void)state;
	intel_model_power_on(1, false);
	begin(&rig_events[0], PERF_COUNT_HW_INSTRUCTIONS, 0);
	assert_int_equal(x86_tick_counter(), 1U << 3);
	rig_run(10 * TICK_NS, 1000, count_on);
	assert_in_range(interrupts, 19, 20);
	event_disable(&rig_events[0]);
	assert_int_equal(model.faults, 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, without_timer, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_timer_that_interrupts_needs_no_counter,
		                                with_timer, end),
		CASE(without_one_a_counter_interrupts_twice_a_tick),
		CASE(the_tick_continues_while_the_users_counters_are_stopped),
		CASE(the_tick_makes_no_samples),
		CASE(the_tick_ends_with_the_last_event),
		CASE(the_ticks_counter_serves_no_other_event),
		CASE(if_that_counter_is_taken_the_tick_uses_the_next),
		CASE(a_general_counter_does_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
