/* SPDX-License-Identifier: MIT */
/* When a counter's samples are due, step by step: periods, frequencies, periods that are too short.
 * */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/sampling.h"
#include "tests/unit/pmu/sampling_rig.h"

static const struct arch_regs regs = { .pc = 0x1234 };

static int init_period(uint64_t period)
{
	event.attr.flags = 0;
	event.attr.sample_period = period;
	return sampling_init(&event);
}

static int init_frequency(uint64_t frequency)
{
	event.attr.flags = PERF_ATTR_FREQ;
	event.attr.sample_freq = frequency;
	return sampling_init(&event);
}

/* The counter has reached this count at this time. */
static void count_to(uint64_t count, uint64_t ns)
{
	event.count = count;
	host_fake_cycles = ns;
	sampling_counted(&event, &regs, ns);
}

/* The number of samples so far; the PERIOD of the last one. */
static unsigned samples(void)
{
	return (unsigned)event.account.written;
}

static uint64_t last_period(void)
{
	uint64_t words[5];

	assert_true(control.data_head >= 32);
	memcpy(words, (const uint8_t *)data + control.data_head - 32, 32);
	return words[3];
}

/* ---- Periods ---- */

static void a_period_is_taken_as_it_is(void **state)
{
	(void)state;
	assert_int_equal(init_period(0), 0);
	assert_int_equal(event.sampling.period, 0);
	assert_true(event.sampling.next == UINT64_MAX);
	assert_int_equal(init_period(256), 0);
	assert_int_equal(event.sampling.steady, 256);
	assert_int_equal(event.sampling.dense, 0);
	assert_int_equal(event.sampling.next, 256);
	assert_int_equal(event.sampling.period, 256);
	assert_int_equal(init_period(255), 0);
	assert_int_equal(event.sampling.steady, 0);
	assert_int_equal(event.sampling.dense, 100000); /* 100 us */
	assert_int_equal(event.sampling.next, 255);
	assert_int_equal(init_period((1ULL << 62) - 1), 0);
	assert_true(event.sampling.steady == (1ULL << 62) - 1);
	assert_int_equal(init_period(1ULL << 62), -EINVAL);
	assert_int_equal(init_frequency(1), 0);
	assert_int_equal(event.sampling.period, NSEC_PER_SEC);
	assert_int_equal(event.sampling.steady, 0);
	assert_int_equal(event.sampling.next, NSEC_PER_SEC);
	assert_int_equal(init_frequency(0), -EINVAL);
	assert_int_equal(init_frequency(NSEC_PER_SEC / 256), 0);
	assert_int_equal(init_frequency(NSEC_PER_SEC / 256 + 1), -EINVAL);
}

static void a_sample_is_due_when_its_count_is_reached(void **state)
{
	(void)state;
	assert_int_equal(init_period(1000), 0);
	assert_int_equal(sampling_left(&event), 1000);
	count_to(999, MS);
	assert_int_equal(samples(), 0);
	assert_int_equal(sampling_left(&event), 1);
	count_to(1000, MS);
	assert_int_equal(samples(), 1);
	assert_int_equal(last_period(), 1000);
	assert_int_equal(sampling_left(&event), 1000);
	count_to(2999, MS); /* late by one less than a period */
	assert_int_equal(samples(), 2);
	assert_int_equal(last_period(), 1999);
	assert_int_equal(event.sampling.next, 3000);
	count_to(4000, MS); /* late by a whole period: the multiples stay */
	assert_int_equal(samples(), 3);
	assert_int_equal(last_period(), 1001);
	assert_int_equal(event.sampling.next, 5000);
	count_to(9500, MS);
	assert_int_equal(samples(), 4);
	assert_int_equal(event.sampling.next, 10000);
	assert_int_equal(event.sampled, 9500);
	event.count = 9999;
	assert_int_equal(sampling_left(&event), 1);
	event.count = 10000; /* while the event was being removed */
	assert_int_equal(sampling_left(&event), 1);
	event.count = 10007;
	assert_int_equal(sampling_left(&event), 1);
}

/* If the program makes no progress while the counter counts, the distance doubles. */
static void samples_that_are_too_close_move_apart(void **state)
{
	uint64_t now = 1000 * MS, count = 0;
	static const uint64_t least[] = { 256, 512, 1024, 2048 };

	(void)state;
	assert_int_equal(init_period(10), 0);
	count_to(count += 10, now); /* the first one, long after the last sample */
	assert_int_equal(event.sampling.least, 1);
	assert_int_equal(sampling_left(&event), 10);
	for (unsigned i = 0; i < 4; i++) {
		count_to(count += 5000, now += 99999);
		assert_int_equal(event.sampling.least, least[i]);
		assert_int_equal(sampling_left(&event), least[i]);
	}
	/* The program has made progress: the distance is halved, down to the least. */
	for (unsigned i = 0; i < 4; i++) {
		const struct arch_regs elsewhere = { .pc = 0x2000 + i };

		event.count = count += 5000;
		sampling_counted(&event, &elsewhere, now += 10);
		assert_int_equal(event.sampling.least, i < 3 ? 1024 >> i : 256);
	}
	/* No progress, but no more events than programmed: not stuck. */
	count_to(count += 256, now += 10);
	count_to(count += 256, now += 10);
	assert_int_equal(event.sampling.least, 256);
	count_to(count += 257, now += 10);
	assert_int_equal(event.sampling.least, 512);
	/* Rare again: the distance is the requested one at once. */
	count_to(count += 10000, now += 100000);
	assert_int_equal(event.sampling.least, 1);
	count_to(count + 10000, now + 99999);
	assert_int_equal(event.sampling.least, 256);
}

/* ---- Frequencies ---- */

static void the_period_follows_the_rate_by_halves(void **state)
{
	(void)state;
	assert_int_equal(init_frequency(1000), 0);
	assert_int_equal(event.sampling.period, MS);
	event.tstamp = 0;
	count_to(MS, 4 * MS); /* a quarter of an event per ns: 250,000 per sample */
	assert_int_equal(samples(), 1);
	assert_int_equal(event.sampling.period, MS / 2 + 125000);
	assert_int_equal(event.sampling.sampled_at, 4 * MS);
	assert_int_equal(event.sampling.next, MS + 625000);
	count_to(2 * MS, 8 * MS);
	assert_int_equal(event.sampling.period, 312500 + 125000);
	assert_int_equal(event.sampling.next, 2 * MS + 437500 - 375000 % 437500);
}

static void a_burst_is_bounded_and_a_period_is_never_0(void **state)
{
	(void)state;
	assert_int_equal(init_frequency(1000), 0);
	count_to(1ULL << 40, MS);
	assert_int_equal(event.sampling.period, 64 * MS);
	/* If the product would overflow, it divides first. */
	assert_int_equal(init_frequency(1), 0);
	event.sampled = 0;
	event.sampling.sampled_at = 0;
	count_to(UINT64_MAX / NSEC_PER_SEC + 1 + NSEC_PER_SEC, 10 * NSEC_PER_SEC);
	assert_int_equal(event.sampling.period,
	                 NSEC_PER_SEC / 2 + (UINT64_MAX / NSEC_PER_SEC + 1 + NSEC_PER_SEC) /
	                                        (10 * NSEC_PER_SEC) * NSEC_PER_SEC / 2);
	assert_int_equal(init_frequency(1000000), 0);
	event.sampling.period = 1;
	event.sampling.next = event.sampled = event.count;
	event.sampling.sampled_at = 0;
	count_to(event.count, 20 * NSEC_PER_SEC);
	assert_int_equal(event.sampling.period, 1);
}

/* Two samples at the same time of the event's clock: no rate is known. */
static void without_time_between_samples_the_period_stays(void **state)
{
	(void)state;
	assert_int_equal(init_frequency(1000), 0);
	event.state = EVENT_THROTTLED; /* its time does not pass */
	event.time_running = 7 * MS;
	event.sampling.sampled_at = 7 * MS;
	count_to(MS, 9 * MS);
	assert_int_equal(samples(), 1);
	assert_int_equal(event.sampling.period, MS);
}

static void the_tick_asks_more_often_where_samples_stay_away(void **state)
{
	(void)state;
	assert_int_equal(init_frequency(1000), 0);
	event.count = 100;
	sampling_tick(&event, 2 * MS); /* at most two periods without a sample */
	assert_string_equal(asked, "");
	sampling_tick(&event, 2 * MS + 1);
	assert_string_equal(asked, "dsSe");
	assert_int_equal(event.sampling.period, MS / 2 + 49 / 2); /* 100 events in 2 ms and 1 ns */
	assert_int_equal(event.sampling.next, event.sampling.period);
	event.sampling.period = 1;
	sampling_tick(&event, 4 * MS);
	assert_string_equal(asked, "dsSe"); /* less is not possible */
	event.sampling.period = 2;
	sampling_tick(&event, 4 * MS);
	assert_string_equal(asked, "dsSedsSe");
	/* An event that was throttled when it was stopped stays throttled. */
	event.sampling.period = 100;
	event.state = EVENT_THROTTLED;
	event.time_running = 9 * MS;
	event.pmu = &pmu_plain;
	sampling_tick(&event, 0);
	assert_string_equal(asked, "dsSedsSes");
}

static void an_event_that_only_counts_is_no_business_of_the_tick(void **state)
{
	(void)state;
	assert_int_equal(init_frequency(1000), 0);
	event.sampling.period = 0;
	sampling_tick(&event, 1000 * MS);
	assert_string_equal(asked, "");
}

/* ---- Less often ---- */

static void samples_are_so_many_times_as_far_apart_and_every_count_is_in_one(void **state)
{
	(void)state;
	assert_int_equal(init_period(1000), 0);
	count_to(1000, MS);
	sampling_slow(&event, 4);
	count_to(2000, 2 * MS); /* a due sample stays due */
	assert_int_equal(samples(), 2);
	assert_int_equal(last_period(), 1000);
	assert_int_equal(sampling_left(&event), 4000);
	count_to(5999, 3 * MS);
	assert_int_equal(samples(), 2);
	count_to(6010, 3 * MS);
	assert_int_equal(samples(), 3);
	assert_int_equal(last_period(), 4010);
	assert_int_equal(event.sampling.steady, 4000);
	sampling_slow(&event, 1); /* relative to the requested period, not to the present one */
	count_to(10000, 4 * MS);
	assert_int_equal(sampling_left(&event), 1000);
	assert_int_equal(event.sampled, event.count);
	assert_string_equal(asked, ""); /* the counter continues unchanged */
	sampling_slow(&event, TR_SLOWEST);
	assert_int_equal(event.sampling.period, 1000 * TR_SLOWEST);
	assert_int_equal(init_period((1ULL << 62) - 1), 0);
	sampling_slow(&event, 2);
	assert_true(event.sampling.period == 1ULL << 62);
	assert_int_equal(init_period(10), 0); /* an event of another kind keeps it */
	sampling_slow(&event, 100);
	assert_int_equal(event.sampling.period, 1000);
	assert_int_equal(event.sampling.steady, 0);
	assert_int_equal(init_period(0), 0);
	sampling_slow(&event, 4);
	assert_true(event.sampling.next == UINT64_MAX && !event.sampling.period);
}

static void a_frequency_is_so_many_times_as_low(void **state)
{
	(void)state;
	assert_int_equal(init_frequency(1000), 0);
	sampling_slow(&event, 4);
	for (unsigned ms = 1; ms < 200; ms++)
		count_to(ms * MS, ms * MS); /* one event per ns */
	assert_in_range(event.sampling.period, 39 * MS / 10, 4 * MS);
	sampling_tick(&event, event.sampling.sampled_at + 8 * MS);
	assert_string_equal(asked, ""); /* nor does the tick treat them as missing */
	sampling_slow(&event, 1);
	for (unsigned ms = 200; ms < 300; ms++)
		count_to(ms * MS, ms * MS);
	assert_in_range(event.sampling.period, MS, 11 * MS / 10);
}

#define TEST(f) cmocka_unit_test_setup(f, sampling_rig_set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_period_is_taken_as_it_is),
		TEST(a_sample_is_due_when_its_count_is_reached),
		TEST(samples_that_are_too_close_move_apart),
		TEST(the_period_follows_the_rate_by_halves),
		TEST(a_burst_is_bounded_and_a_period_is_never_0),
		TEST(without_time_between_samples_the_period_stays),
		TEST(the_tick_asks_more_often_where_samples_stay_away),
		TEST(an_event_that_only_counts_is_no_business_of_the_tick),
		TEST(samples_are_so_many_times_as_far_apart_and_every_count_is_in_one),
		TEST(a_frequency_is_so_many_times_as_low),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
