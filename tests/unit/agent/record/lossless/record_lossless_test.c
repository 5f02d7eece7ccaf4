/* SPDX-License-Identifier: MIT */
/* A CPU that stalls until its ring has room, and the stall's time, which its events do not count.
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/sample.h"
#include "pmu/software/cpu_clock.h"
#include "tests/unit/agent/record/lossless/record_lossless_rig.h"

/* ---- Room ---- */

static void a_cpu_stalls_until_there_is_room_and_loses_nothing(void **state)
{
	(void)state;
	start();
	fake_cpu_run(2000 * PERIOD, 0, &regs);
	context_stop(&cpus[0].context);
	assert_int_equal(account()->generated, 2000);
	assert_int_equal(account()->written, 2000);
	assert_in_range(cpus[0].stalls, 2000 * SAMPLE / RING, 2000 * SAMPLE / (RING / 4));
	assert_int_equal(cpus[0].given_up, 0);
	lossless_report(&recording);
	assert_string_equal(text, "");
}

static void without_the_option_no_cpu_stalls(void **state)
{
	(void)state;
	command.lossless = LOSSLESS_NONE;
	set_up_cpu(0);
	start();
	fake_cpu_run(2000 * PERIOD, 0, &regs);
	assert_int_equal(looks, 0);
	assert_int_equal(account()->written, RING / SAMPLE);
	assert_int_equal(account()->generated, account()->written + account()->lost);
}

static void no_time_passes_for_a_cpus_events_while_it_stalls(void **state)
{
	uint64_t began = host_fake_cycles, ran;

	(void)state;
	start();
	fake_cpu_run(2000 * PERIOD + 77, 0, &regs);
	context_stop(&cpus[0].context);
	ran = host_fake_cycles - began - looked_ns;
	assert_true(looked_ns > 100 * PERIOD);
	assert_int_equal(ran, 2000 * PERIOD + 77);
	assert_int_equal(cpus[0].stall_ns, looked_ns);
	assert_int_equal(events[0].count, ran);
	assert_int_equal(events[0].time_enabled, ran);
	assert_int_equal(events[0].time_running, ran);
	assert_int_equal(events[0].sampled, 2000 * PERIOD);
}

static void each_period_is_what_was_asked_for(void **state)
{
	(void)state;
	start();
	for (unsigned i = 0; i < 500; i++) {
		fake_cpu_run(PERIOD, 0, &regs);
		/* the last word of the newest sample */
		assert_int_equal(data[0][(controls[0].data_head - 8) % RING / 8], PERIOD);
	}
	assert_true(cpus[0].stalls > 0);
}

static void the_reader_is_woken_and_housekeeping_continues(void **state)
{
	static struct tr_doorbell doorbell;

	(void)state;
	doorbell.pending = 0;
	cpus[0].owner = (struct ring_owner){ .id = 1, .doorbell = &doorbell };
	ring_set_owner(&cpus[0].ring, &cpus[0].owner);
	start();
	while (!cpus[0].stalls)
		fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(doorbell.pending, 1);
	assert_int_equal(cpus[0].owner.causes[TR_WAKEUP_FULL], 1);
	assert_int_equal(housekept, looked_ns / TICK_NS);
}

static void if_all_cpus_stall_the_clock_may_freeze(void **state)
{
	uint64_t began, cycles;

	(void)state;
	command.lossless = LOSSLESS_FREEZE;
	recording.nr_cpus = 1;
	set_up_cpu(0);
	lossless_begin(&recording);
	start();
	began = clock_now();
	cycles = host_fake_cycles;
	fake_cpu_run(2000 * PERIOD + 77, 0, &regs);
	assert_int_equal(clock_now() - began, 2000 * PERIOD + 77);
	assert_int_equal(clock_steady() - began, host_fake_cycles - cycles);
	context_stop(&cpus[0].context);
	assert_true(looked_ns > 100 * PERIOD);
	assert_int_equal(cpus[0].stall_ns, looked_ns);
	assert_int_equal(cpus[0].frozen, looked_ns);
	assert_int_equal(events[0].time_enabled, 2000 * PERIOD + 77);
	assert_int_equal(events[0].sampled, 2000 * PERIOD);
	/* the newest sample's TIME */
	assert_in_range(data[0][(controls[0].data_head - 24) % RING / 8], began + 2000 * PERIOD,
	                began + 2000 * PERIOD + 77);
}

static void a_freeze_without_cpu_0_or_with_an_aux_area_is_refused(void **state)
{
	(void)state;
	command.lossless = LOSSLESS_FREEZE;
	cpus[0].cpu = 1;
	assert_int_not_equal(lossless_open(&cpus[0]), 0);
	assert_non_null(strstr(text, "needs CPU 0, which runs the workload"));
	cpus[0].cpu = 0;
	cpus[0].aux_event = &events[0];
	assert_int_not_equal(lossless_open(&cpus[0]), 0);
	assert_non_null(strstr(text, "an AUX area"));
}

static void look_at_counters(void)
{
	assert_int_equal(frozen, 1);
	read_all();
}

static void a_cpus_counters_are_stopped_while_it_stalls(void **state)
{
	static struct pmu counts;

	(void)state;
	counts = pmu_cpu_clock;
	counts.disable = freeze;
	counts.enable = thaw;
	start();
	fill();
	events[0].pmu = &counts;
	reader = look_at_counters;
	lossless_look(&cpus[0]);
	assert_true(looks > 0);
	assert_int_equal(frozen, 0);
}

static void a_nested_handler_writes_into_the_reserve(void **state)
{
	const struct sample_data sample = { .time = 1, .period = 1 };

	(void)state;
	start();
	while (ring_room(&cpus[0].ring) >= cpus[0].ring.reserve)
		fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(looks, 0);
	assert_true(signalled[0] > 0);
	fake_nested = true;
	while (ring_room(&cpus[0].ring) >= SAMPLE)
		sample_output(&events[0], &regs, &sample);
	assert_int_equal(looks, 0);
	assert_int_equal(account()->lost, 0);
	fake_nested = false;
	fake_cpu_run(PERIOD, 0, &regs);
	assert_true(looks > 0);
	assert_int_equal(account()->lost, 0);
}

static void a_signal_in_a_thread_makes_it_stall(void **state)
{
	(void)state;
	start();
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stalls, 0);
	while (!signalled[0])
		fake_cpu_run(PERIOD, 0, &regs);
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stalls, 1);
	assert_int_equal(looks, 250);
	assert_true(ring_room(&cpus[0].ring) >= RING / 4);
}

static void a_ring_that_handlers_could_fill_is_refused(void **state)
{
	(void)state;
	events[0].attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	assert_int_not_equal(lossless_open(&cpus[0]), 0);
	assert_string_equal(text, "--lossless needs rings of 8 pages for these events: use -m 8");
}

/* ---- Nobody reads ---- */

static void without_a_reader_records_are_lost_after_a_while(void **state)
{
	(void)state;
	reader = NULL;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(looked_ns, (uint64_t)TR_STALL_MS * 1000000);
	assert_int_equal(cpus[0].given_up, 1);
	assert_false(cpus[0].waits);
	fake_cpu_run(500 * PERIOD, 0, &regs);
	assert_int_equal(looked_ns, (uint64_t)TR_STALL_MS * 1000000);
	assert_true(account()->lost > 400);
	assert_int_equal(account()->generated, account()->written + account()->lost);
	lossless_report(&recording);
	assert_string_equal(text,
	                    "--lossless: no reader for 10 s, 1 times: the program continued, and "
	                    "records without room were lost\n");
}

static void a_cpu_waits_again_when_a_reader_reads_again(void **state)
{
	uint64_t lost;

	(void)state;
	reader = NULL;
	start();
	fake_cpu_run(10 * PERIOD, 0, &regs);
	read_all();
	fill();
	lossless_look(&cpus[0]);
	fake_cpu_run(500 * PERIOD, 0, &regs);
	lossless_tick(&cpus[0]);
	assert_true(recording.lossless_given_up);
	reader = read_all_at_last;
	read_all();
	lossless_tick(&cpus[0]);
	assert_false(recording.lossless_given_up);
	lost = account()->lost;
	fake_cpu_run(500 * PERIOD, 0, &regs);
	assert_int_equal(account()->lost, lost);
	assert_true(cpus[0].stalls > 1);
}

static uint64_t taken;

/* Read once every 9 s, three times. */
static void read_one(void)
{
	if (looked_ns % (9 * NSEC_PER_SEC) != 0)
		return;
	controls[0].data_tail += SAMPLE;
	cpus[0].stopped = ++taken == 3;
}

static void a_slow_reader_is_not_a_dead_one(void **state)
{
	(void)state;
	taken = 0;
	reader = read_one;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(taken, 3);
	assert_false(recording.lossless_given_up);
}

static void a_clock_that_leaps_is_not_waited_for(void **state)
{
	(void)state;
	reader = NULL;
	start();
	fill();
	leap = NSEC_PER_SEC;
	lossless_look(&cpus[0]);
	assert_int_equal(looks, TR_STALL_MS * 1000000ULL / LOOK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_cpu_stalls_until_there_is_room_and_loses_nothing),
		TEST(without_the_option_no_cpu_stalls),
		TEST(no_time_passes_for_a_cpus_events_while_it_stalls),
		TEST(each_period_is_what_was_asked_for),
		TEST(the_reader_is_woken_and_housekeeping_continues),
		TEST(if_all_cpus_stall_the_clock_may_freeze),
		TEST(a_freeze_without_cpu_0_or_with_an_aux_area_is_refused),
		TEST(a_cpus_counters_are_stopped_while_it_stalls),
		TEST(a_nested_handler_writes_into_the_reserve),
		TEST(a_signal_in_a_thread_makes_it_stall),
		TEST(a_ring_that_handlers_could_fill_is_refused),
		TEST(without_a_reader_records_are_lost_after_a_while),
		TEST(a_cpu_waits_again_when_a_reader_reads_again),
		TEST(a_slow_reader_is_not_a_dead_one),
		TEST(a_clock_that_leaps_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
