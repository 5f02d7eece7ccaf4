/* SPDX-License-Identifier: MIT */
/* Counters that something below the machine takes away: found from tick to tick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agent/record/record_ledger.h"
#include "agent/record/recording.h"
#include "arch/host/fake_cpu.h"
#include "pmu/pmu.h"
#include "tests/unit/host-tools/region_fixture.h"

#define EVENTS 2U
#define TICK   1000000U  /* ns */
#define OUT    20000000U /* ns of the first tick, so that no time is 0 */

static struct fixture fixture;
static struct recording recording;
static struct traced_cpu cpu;
static struct perf_event events[EVENTS];
static uint64_t now, counted[EVENTS];

static void read_counter(struct perf_event *event)
{
	event->count += counted[event - events];
}

static const struct pmu pmu = { .read = read_counter };

static void describe(unsigned i, uint32_t type, uint64_t config, uint64_t flags)
{
	events[i] = (struct perf_event){
		.pmu = &pmu,
		.state = EVENT_ACTIVE,
		.attr = { .type = type, .config = config, .flags = flags },
	};
	counted[i] = 1000;
}

static int set_up(void **state)
{
	(void)state;
	fake_cpu_number = 0;
	fixture_init(&fixture, 0);
	recording = (struct recording){
		.region = &fixture.region,
		.nr_cpus = 1,
		.nr_events = 1,
		.cpus = &cpu,
	};
	cpu = (struct traced_cpu){ .recording = &recording, .events = events };
	cpu.ring = fixture.rings[0];
	describe(0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	describe(1, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0);
	now = OUT;
	recording_publish(&cpu, now);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_free(&fixture);
	return 0;
}

/* The time that counts as uncounted after one more tick of that length. */
static uint64_t after(uint64_t ns)
{
	uint64_t before = fixture.region.cpus[0].uncounted;

	now += ns;
	recording_publish(&cpu, now);
	assert_int_equal(fixture.region.cpus[0].uncounted, cpu.uncounted);
	return cpu.uncounted - before;
}

static void a_counter_that_counts_is_not_reported(void **state)
{
	(void)state;
	assert_int_equal(after(TICK), 0);
	counted[0] = 1;
	assert_int_equal(after(TICK), 0);
}

static void the_time_without_an_increment_is_summed_up(void **state)
{
	(void)state;
	counted[0] = 0;
	assert_int_equal(after(TICK), TICK);
	assert_int_equal(after(TICK / 2), TICK / 2);
	counted[0] = 1000;
	assert_int_equal(after(TICK), 0);
	counted[0] = 0;
	assert_int_equal(after(TICK), TICK);
	assert_int_equal(cpu.uncounted, 2 * TICK + TICK / 2);
}

/* Short times are added to the next one. */
static void a_time_below_half_a_millisecond_is_compared_later(void **state)
{
	(void)state;
	counted[0] = 0;
	assert_int_equal(after(TICK / 2 - 1), 0);
	assert_int_equal(after(TICK / 2), TICK - 1);
	assert_int_equal(after(TICK / 2 - 1), 0);
	counted[0] = 1;
	assert_int_equal(after(TICK / 2), 0);
}

static void of_several_counters_the_longest_time_counts_once(void **state)
{
	(void)state;
	recording.nr_events = 2;
	counted[0] = 0;
	after(TICK);
	assert_int_equal(after(TICK), TICK);
	counted[1] = 0;
	assert_int_equal(after(TICK), TICK);
	counted[0] = 1000;
	assert_int_equal(after(TICK), TICK);
}

static void time_in_which_the_event_does_not_run_is_no_loss(void **state)
{
	(void)state;
	counted[0] = 0;
	events[0].state = EVENT_OFF;
	events[0].tstamp = now;
	events[0].time_running = now;
	assert_int_equal(after(TICK), 0);
}

static void only_events_that_must_happen_are_watched(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, flags, lost;
	} cases[] = {
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, TICK },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, TICK },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_ATTR_EXCLUDE_IDLE, TICK },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0, 0 },
		{ PERF_TYPE_RAW, PERF_COUNT_HW_CPU_CYCLES, 0, 0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_ATTR_EXCLUDE_USER, 0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_ATTR_EXCLUDE_KERNEL, 0 },
		{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_ATTR_EXCLUDE_HV, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		describe(0, cases[i].type, cases[i].config, cases[i].flags);
		events[0].tstamp = now;
		after(TICK);
		counted[0] = 0;
		assert_int_equal(after(TICK), cases[i].lost);
	}
}

/* Another CPU's counters cannot be read from here. */
static void another_cpus_counters_are_not_judged(void **state)
{
	(void)state;
	counted[0] = 0;
	fake_cpu_number = 1;
	assert_int_equal(after(TICK), 0);
	fake_cpu_number = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_counter_that_counts_is_not_reported),
		TEST(the_time_without_an_increment_is_summed_up),
		TEST(a_time_below_half_a_millisecond_is_compared_later),
		TEST(of_several_counters_the_longest_time_counts_once),
		TEST(time_in_which_the_event_does_not_run_is_no_loss),
		TEST(only_events_that_must_happen_are_watched),
		TEST(another_cpus_counters_are_not_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
