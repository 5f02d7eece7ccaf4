/* SPDX-License-Identifier: MIT */
/* CPUs that stall together, CPUs that do not, and CPUs that others wait for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/record/lossless/lossless_hold.h"
#include "pmu/software/cpu_clock.h"
#include "tests/unit/agent/record/lossless/record_lossless_rig.h"

/* ---- Several CPUs ---- */

static void leave_the_other(void)
{
	if (looks == 300)
		cpus[1].waits = false;
}

static void a_cpu_stalls_as_long_as_another_waits(void **state)
{
	(void)state;
	start();
	reader = leave_the_other;
	cpus[1].waits = true;
	fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(looks, 300);
	assert_int_equal(cpus[0].stalls, 1);
	/* a CPU that waits for nothing must not signal the others */
	assert_int_equal(signalled[1], 0);
	assert_int_equal(account()->lost, 0);
}

static void alone_it_does_not(void **state)
{
	(void)state;
	command.lossless = LOSSLESS_CPU;
	start();
	cpus[1].waits = true;
	fake_cpu_run(PERIOD, 0, &regs);
	assert_int_equal(looks, 0);
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stalls, 1);
	assert_int_equal(signalled[1], 0);
}

/* A CPU that is being started has no interrupts and tables yet, and the CPUs that start it would
 * not react. */
static void a_cpu_that_has_not_started_is_not_called(void **state)
{
	(void)state;
	start();
	fill();
	cpus[1].live = false;
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 0);
	cpus[1].live = true;
	recording.lossless_together = false;
	signalled[0] = 0;
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 0);
	assert_int_equal(cpus[0].stalls, 2);
	cpus[1].waits = true;
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stalls, 2);
}

static void a_waiting_cpu_signals_the_cpus_that_do_not_stall(void **state)
{
	(void)state;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 1 + looked_ns / TICK_NS);
	signalled[0] = signalled[1] = 0;
	cpus[1].stalled_now = true;
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(signalled[1], 0);
}

/* ---- CPUs that do not stall ---- */

static void stop_when_stalled(void)
{
	cpus[0].stopped = looks == 42;
}

static void a_stop_ends_it(void **state)
{
	(void)state;
	reader = stop_when_stalled;
	start();
	fill();
	lossless_look(&cpus[0]);
	assert_int_equal(looks, 42);
	lossless_look(&cpus[0]);
	assert_int_equal(looks, 42);
	assert_false(cpus[0].waits);
}

static void a_cpu_that_does_not_trace_does_not_stall(void **state)
{
	(void)state;
	start();
	fill();
	cpus[0].live = false;
	lossless_look(&cpus[0]);
	assert_int_equal(looks, 0);
}

/* ---- Whom others wait for ---- */

static void switch_when_stalled(void)
{
	switch_is_due = looks == 42;
	read_all_at_last();
}

/* The program's thread waits for the pause on another CPU, which does not stall. */
static void a_stalled_cpu_pauses_and_continues_as_the_program_wants(void **state)
{
	static struct pmu counts;

	(void)state;
	counts = pmu_cpu_clock;
	counts.disable = freeze;
	counts.enable = thaw;
	start();
	fill();
	events[0].pmu = &counts;
	reader = switch_when_stalled;
	lossless_look(&cpus[0]);
	assert_int_equal(switched, 1);
	assert_int_equal(looks, 250); /* the stall went on */
	assert_int_equal(cpus[0].stalls, 2);
	assert_int_equal(frozen, 0);
	switch_is_due = true;
	lossless_look(&cpus[0]); /* and the CPU need not stall first */
	assert_int_equal(switched, 2);
	assert_int_equal(looks, 250);
}

/* A signal for each sample would leave the thread no time to reach the section's end. */
static void a_cpu_in_a_section_that_others_wait_for_is_signalled_once_at_its_end(void **state)
{
	(void)state;
	start();
	lossless_hold();
	while (ring_room(&cpus[0].ring) >= cpus[0].ring.reserve)
		fake_cpu_run(PERIOD, 0, &regs);
	fake_cpu_run(2 * PERIOD, 0, &regs);
	lossless_look(&cpus[0]);
	assert_int_equal(looks, 0);
	assert_int_equal(signalled[0], 0);
	lossless_release();
	assert_int_equal(signalled[0], 1);
	lossless_look(&cpus[0]);
	assert_int_equal(cpus[0].stalls, 1);
	assert_int_equal(account()->lost, 0);
}

static void a_section_that_outlasts_the_reserve_stalls_and_loses_nothing(void **state)
{
	(void)state;
	start();
	lossless_hold();
	fake_cpu_run(1000 * PERIOD, 0, &regs);
	assert_true(cpus[0].stalls > 0);
	assert_int_equal(account()->lost, 0);
	assert_int_equal(account()->written, 1000);
	lossless_release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(a_cpu_stalls_as_long_as_another_waits),
		TEST(alone_it_does_not),
		TEST(a_cpu_that_has_not_started_is_not_called),
		TEST(a_waiting_cpu_signals_the_cpus_that_do_not_stall),
		TEST(a_stop_ends_it),
		TEST(a_cpu_that_does_not_trace_does_not_stall),
		TEST(a_stalled_cpu_pauses_and_continues_as_the_program_wants),
		TEST(a_cpu_in_a_section_that_others_wait_for_is_signalled_once_at_its_end),
		TEST(a_section_that_outlasts_the_reserve_stalls_and_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
