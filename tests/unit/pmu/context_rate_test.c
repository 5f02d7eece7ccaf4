/* SPDX-License-Identifier: MIT */
/* How many samples are taken of events that share counters: throttling, and frequencies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"
#include "tests/unit/pmu/context_rig.h"

static const struct arch_regs regs = { .pc = 0x1234 };

static void tick(void)
{
	uint64_t saved = arch_irq_save();

	context_tick(&context);
	arch_irq_restore(saved);
}

static unsigned records_of(uint32_t type)
{
	unsigned n = 0;

	for (uint64_t at = 0; at < control.data_head;) {
		struct perf_event_header header;

		memcpy(&header, (const uint8_t *)data + at, sizeof(header));
		n += header.type == type;
		at += header.size;
	}
	return n;
}

static void an_absurd_period_is_stopped_until_the_tick_and_reported(void **state)
{
	(void)state;
	context_rig_add_group(1, 1000); /* a million samples a second */
	throttle_set(&events[0], TR_SAMPLE_RATE);
	assert_int_equal(context_rig_start(4), 0);
	for (unsigned i = 0; i < 10; i++) {
		context_rig_run(MS);
		tick();
	}
	context_stop(&context);
	/* 101 samples per tick, then the event is throttled: neither its count nor its time
	 * continues. */
	assert_int_equal(events[0].account.period / 1000, 10 * 101);
	assert_int_equal(events[0].throttled, 10);
	assert_int_equal(records_of(PERF_RECORD_THROTTLE), 10);
	assert_int_equal(records_of(PERF_RECORD_UNTHROTTLE), 10);
	assert_int_equal(events[0].account.generated, 10 * 101 + 20);
	assert_int_equal(events[0].time_enabled, 10 * MS);
	assert_int_equal(events[0].time_running, events[0].count);
	assert_int_equal(events[0].count, 10 * 101 * 1000);
}

static void a_period_at_the_limit_is_left_alone(void **state)
{
	(void)state;
	context_rig_add_group(1, 10000);
	throttle_set(&events[0], TR_SAMPLE_RATE);
	assert_int_equal(context_rig_start(4), 0);
	for (unsigned i = 0; i < 10; i++) {
		context_rig_run(MS);
		tick();
	}
	context_stop(&context);
	assert_int_equal(events[0].throttled, 0);
	assert_int_equal(events[0].account.generated, 1000);
}

static void the_tick_leaves_a_fixed_period_alone(void **state)
{
	(void)state;
	context_rig_add_group(1, 100 * MS);
	context_rig_add_group(1, 1000);
	events[1].attr.flags = PERF_ATTR_FREQ; /* beside it the tick looks at frequencies */
	assert_int_equal(context_rig_start(4), 0);
	for (unsigned i = 0; i < 99; i++) {
		context_rig_run(MS);
		tick();
	}
	assert_int_equal(events[0].sampling.period, 100 * MS);
	context_rig_run(MS);
	context_stop(&context);
	assert_int_equal(events[0].account.generated, 1);
}

static void a_throttled_event_takes_its_whole_group_along(void **state)
{
	(void)state;
	context_rig_add_group(3, 0);
	events[1].attr.sample_period = 500;
	assert_int_equal(sampling_init(&events[1]), 0);
	throttle_set(&events[1], TR_SAMPLE_RATE);
	context_rig_add_group(1, 0);
	assert_int_equal(context_rig_start(4), 0);
	context_rig_run(MS);
	assert_int_equal(events[0].state, EVENT_THROTTLED);
	assert_int_equal(events[3].state, EVENT_ACTIVE);
	tick();
	assert_int_equal(events[0].state, EVENT_ACTIVE);
	context_rig_run(MS);
	context_stop(&context);
	context_rig_check_group(&events[0], 2 * MS);
	assert_int_equal(events[0].count, 2 * 101 * 500);
	assert_int_equal(events[3].count, 2 * MS);
}

static void turns_and_throttling_together_keep_the_counts(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		context_rig_add_group(1, 700 + 100 * i);
		throttle_set(&events[i], TR_SAMPLE_RATE);
	}
	assert_int_equal(context_rig_start(4), 0);
	for (unsigned i = 0; i < 200; i++) {
		context_rig_run(MS);
		tick();
	}
	context_stop(&context);
	for (unsigned i = 0; i < 6; i++) {
		context_rig_check_group(&events[i], 200 * MS);
		assert_true(events[i].throttled > 100);
	}
	assert_in_range(records_of(PERF_RECORD_THROTTLE) - records_of(PERF_RECORD_UNTHROTTLE), 0,
	                6);
}

/* ---- Frequency ---- */

static void a_rare_event_reaches_its_frequency(void **state)
{
	(void)state;
	context_rig_add_group(1, 0);
	events[0].attr.sample_freq = 1000;
	events[0].attr.flags = PERF_ATTR_FREQ;
	assert_int_equal(sampling_init(&events[0]), 0);
	assert_int_equal(context_rig_start(1), 0);
	/* Two thousand events a second; 1 per ns was assumed. */
	for (unsigned ms = 0; ms < 1000; ms++) {
		host_fake_cycles += MS;
		events[0].count += 2;
		sampling_counted(&events[0], &regs, host_fake_cycles);
		tick();
	}
	context_stop(&context);
	assert_in_range(events[0].account.generated, 900, 1010);
	assert_int_equal(events[0].account.period + (events[0].count - events[0].sampled),
	                 events[0].count);
}

static void time_without_a_counter_does_not_bend_the_frequency(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		context_rig_add_group(1, 0);
	for (unsigned i = 0; i < 4; i++) {
		events[i].attr.sample_freq = 5000;
		events[i].attr.flags = PERF_ATTR_FREQ;
		assert_int_equal(sampling_init(&events[i]), 0);
	}
	assert_int_equal(context_rig_start(1), 0);
	for (unsigned i = 0; i < 1600; i++) {
		context_rig_run(MS);
		tick();
	}
	context_stop(&context);
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(events[i].account.generated, 1900, 2100); /* 0.4 s each */
}

#define TEST(f) cmocka_unit_test_setup(f, context_rig_set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_absurd_period_is_stopped_until_the_tick_and_reported),
		TEST(a_period_at_the_limit_is_left_alone),
		TEST(the_tick_leaves_a_fixed_period_alone),
		TEST(a_throttled_event_takes_its_whole_group_along),
		TEST(turns_and_throttling_together_keep_the_counts),
		TEST(a_rare_event_reaches_its_frequency),
		TEST(time_without_a_counter_does_not_bend_the_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
