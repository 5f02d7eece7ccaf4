/* SPDX-License-Identifier: MIT */
/* When a counter's samples are due, step by step: periods, frequencies, periods that are too short,
 * and an event's times and refusals. */
#include "arch/host/fake_cpu.h"
#include "pmu/callchain.h"
#include "pmu/clock.h"
#include "pmu/pmu.h"
#include "pmu/read_format.h"
#include "pmu/sample.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"
#include "pmu/tick.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000ULL

static struct perf_event_mmap_page control;
static uint64_t data[1 << 13], scratch[RING_LEVELS * 2048 / 8];
static struct ring ring;
static struct perf_event event;
static const struct arch_regs regs = { .pc = 0x1234 };

/* What a source was asked to do, a letter each, in order: d e s S r (disable enable stop Start
 * read). */
static char asked[32];

static void ask(char what)
{
	size_t n = strlen(asked);

	if (n + 1 < sizeof(asked))
		asked[n] = what;
}

static void fake_disable(void)
{
	ask('d');
}

static void fake_enable(void)
{
	ask('e');
}

static void fake_stop(struct perf_event *of)
{
	assert_ptr_equal(of, &event);
	ask('s');
}

static void fake_start(struct perf_event *of)
{
	assert_ptr_equal(of, &event);
	ask('S');
}

static void fake_read(struct perf_event *of)
{
	assert_ptr_equal(of, &event);
	ask('r');
}

static const struct pmu pmu_fake = {
	.name = "fake",
	.disable = fake_disable,
	.enable = fake_enable,
	.start = fake_start,
	.stop = fake_stop,
	.read = fake_read,
};
static const struct pmu pmu_plain = { .name = "plain", .start = fake_start, .stop = fake_stop };

static int set_up(void **state)
{
	(void)state;
	host_fake_cycles = 1000 * MS;
	fake_cpu_number = 0;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	memset(asked, 0, sizeof(asked));
	memset(&event, 0, sizeof(event));
	event.attr = (struct perf_event_attr){
		.size = sizeof(event.attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_max_stack = 1,
	};
	event.pmu = &pmu_fake;
	event.group_leader = &event;
	event.nr_members = 1;
	event.ring = &ring;
	event.state = EVENT_ACTIVE;
	return ring_init(&ring, &(struct ring_config){ .control = &control,
	                                               .data = data,
	                                               .size = sizeof(data),
	                                               .max_record = 2048,
	                                               .scratch = scratch });
}

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

/* The counter has come so far, at ns. */
static void count_to(uint64_t count, uint64_t ns)
{
	event.count = count;
	host_fake_cycles = ns;
	sampling_counted(&event, &regs, ns);
}

/* Samples so far; the PERIOD of the last one. */
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
	count_to(4000, MS); /* late by a whole one: the grid stays */
	assert_int_equal(samples(), 3);
	assert_int_equal(last_period(), 1001);
	assert_int_equal(event.sampling.next, 5000);
	count_to(9500, MS);
	assert_int_equal(samples(), 4);
	assert_int_equal(event.sampling.next, 10000);
	assert_int_equal(event.sampled, 9500);
	event.count = 9999;
	assert_int_equal(sampling_left(&event), 1);
	event.count = 10000; /* while it was being taken away */
	assert_int_equal(sampling_left(&event), 1);
	event.count = 10007;
	assert_int_equal(sampling_left(&event), 1);
}

/* Where the program stays at its place, and the counter ran on, the distance doubles. */
static void samples_that_are_too_close_move_apart(void **state)
{
	uint64_t now = 1000 * MS, count = 0;
	static const uint64_t least[] = { 256, 512, 1024, 2048 };

	(void)state;
	assert_int_equal(init_period(10), 0);
	count_to(count += 10, now); /* the first, long after none */
	assert_int_equal(event.sampling.least, 1);
	assert_int_equal(sampling_left(&event), 10);
	for (unsigned i = 0; i < 4; i++) {
		count_to(count += 5000, now += 99999);
		assert_int_equal(event.sampling.least, least[i]);
		assert_int_equal(sampling_left(&event), least[i]);
	}
	/* It has got on: by halves, down to the least. */
	for (unsigned i = 0; i < 4; i++) {
		const struct arch_regs elsewhere = { .pc = 0x2000 + i };

		event.count = count += 5000;
		sampling_counted(&event, &elsewhere, now += 10);
		assert_int_equal(event.sampling.least, i < 3 ? 1024 >> i : 256);
	}
	/* At its place, but as far as was programmed and no further: not stuck. */
	count_to(count += 256, now += 10);
	count_to(count += 256, now += 10);
	assert_int_equal(event.sampling.least, 256);
	count_to(count += 257, now += 10);
	assert_int_equal(event.sampling.least, 512);
	/* Rare again: at once as close as was asked for. */
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
	count_to(MS, 4 * MS); /* a quarter of an event a ns: 250,000 a sample */
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
	/* Where the product would overflow, the quotient goes first. */
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

/* Two samples at one time of its own: no rate is known. */
static void without_time_between_samples_the_period_stays(void **state)
{
	(void)state;
	assert_int_equal(init_frequency(1000), 0);
	event.state = EVENT_THROTTLED; /* its time stands still */
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
	sampling_tick(&event, 2 * MS); /* no more than two periods without */
	assert_string_equal(asked, "");
	sampling_tick(&event, 2 * MS + 1);
	assert_string_equal(asked, "dsSe");
	assert_int_equal(event.sampling.period, MS / 2 + 49 / 2); /* 100 events in 2 ms and 1 ns */
	assert_int_equal(event.sampling.next, event.sampling.period);
	event.sampling.period = 1;
	sampling_tick(&event, 4 * MS);
	assert_string_equal(asked, "dsSe"); /* closer is not possible */
	event.sampling.period = 2;
	sampling_tick(&event, 4 * MS);
	assert_string_equal(asked, "dsSedsSe");
	/* One that was throttled when it was stopped stays so. */
	event.sampling.period = 100;
	event.state = EVENT_THROTTLED;
	event.time_running = 9 * MS;
	event.pmu = &pmu_plain;
	sampling_tick(&event, 0);
	assert_string_equal(asked, "dsSedsSes");
}

static void a_fixed_period_is_no_business_of_the_tick(void **state)
{
	(void)state;
	assert_int_equal(init_period(1000), 0);
	sampling_tick(&event, 1000 * MS);
	assert_int_equal(init_frequency(1000), 0);
	event.sampling.period = 0;
	sampling_tick(&event, 1000 * MS);
	assert_string_equal(asked, "");
}

/* ---- Throttling ---- */

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

static void one_too_many_in_a_ticks_time_is_told(void **state)
{
	(void)state;
	throttle_set(&event, 3000);
	assert_false(throttle_count(&event.throttle, 5 * MS)); /* begins a tick's time */
	for (unsigned i = 0; i < 2; i++)
		assert_false(throttle_count(&event.throttle, 5 * MS));
	assert_true(throttle_count(&event.throttle, 6 * MS - 1));
	throttle_set(&event, 3000);
	for (unsigned i = 0; i < 3; i++)
		assert_false(throttle_count(&event.throttle, 5 * MS));
	assert_false(throttle_count(&event.throttle, 6 * MS)); /* begins the next */
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
	assert_true(event.told);
	event.throttle = (struct throttle){ .left = 9, .since = 3, .limit = 1 };
	throttle_end(&event, 9 * MS);
	assert_string_equal(asked, "sS");
	assert_int_equal(event.state, EVENT_ACTIVE);
	assert_false(event.told);
	assert_int_equal(event.throttle.left, 1);
	assert_int_equal(event.throttle.since, 0);
	assert_int_equal(event.time_enabled, 4 * MS);
	assert_int_equal(event.time_running, 2 * MS);
	throttle_end(&event, 10 * MS); /* it is not throttled */
	assert_string_equal(asked, "sS");
	assert_int_equal(control.data_head, sizeof(expected));
	assert_memory_equal(data, expected, sizeof(expected));
}

/* ---- An event's times, counts and refusals ---- */

static void times_go_on_in_the_states_that_have_them(void **state)
{
	struct event_times times;

	(void)state;
	event.time_enabled = 100;
	event.time_running = 50;
	event.tstamp = 1000;
	times = event_times(&event, 1007);
	assert_int_equal(times.enabled, 107);
	assert_int_equal(times.running, 57);
	times = event_times(&event, 999); /* a clock that another CPU's made go back */
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

static void only_what_counts_is_read(void **state)
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
	assert_string_equal(event.pmu->name, "cpu-clock");
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

/* A member finds its leader there. */
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
	for (const struct pmu *const *pmu = pmu_sources; *pmu; pmu++) {
		const struct pmu *found = pmu_of_type((*pmu)->type);

		assert_non_null(found);
		assert_int_equal(found->type, (*pmu)->type);
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

#define TEST(f) cmocka_unit_test_setup(f, set_up)

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
		TEST(a_fixed_period_is_no_business_of_the_tick),
		TEST(the_limit_is_rounded_up_to_a_tick),
		TEST(one_too_many_in_a_ticks_time_is_told),
		TEST(throttle_and_unthrottle_have_perfs_layout),
		TEST(times_go_on_in_the_states_that_have_them),
		TEST(only_what_counts_is_read),
		TEST(everything_that_an_event_knows_is_published),
		TEST(attributes_are_checked_to_their_bounds),
		TEST(a_members_leader_stays),
		TEST(sources_are_found_by_their_type),
		TEST(each_error_has_a_text_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
