/* SPDX-License-Identifier: MIT */
/* Sections of a thread in which its CPU does not stall. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/record/lossless/lossless_hold.h"
#include "arch/arch.h"
#include "arch/host/fake_cpu.h"

static unsigned signals[2];

void arch_cpu_signal(unsigned cpu)
{
	signals[cpu]++;
}

static int set_up(void **state)
{
	(void)state;
	fake_cpu_number = 0;
	signals[0] = signals[1] = 0;
	return 0;
}

static void outside_a_section_nothing_is_deferred(void **state)
{
	(void)state;
	assert_false(lossless_hold_defers(0));
	lossless_hold();
	lossless_release();
	assert_false(lossless_hold_defers(0));
	assert_int_equal(signals[0], 0);
}

static void a_section_ends_with_one_signal_however_often_it_deferred(void **state)
{
	(void)state;
	lossless_hold();
	for (unsigned i = 0; i < 5; i++)
		assert_true(lossless_hold_defers(0));
	assert_int_equal(signals[0], 0);
	lossless_release();
	assert_int_equal(signals[0], 1);
	lossless_hold();
	lossless_release();
	assert_int_equal(signals[0], 1);
}

static void a_section_is_its_own_cpus(void **state)
{
	(void)state;
	fake_cpu_number = 1;
	lossless_hold();
	assert_false(lossless_hold_defers(0));
	assert_true(lossless_hold_defers(1));
	lossless_release();
	assert_int_equal(signals[0], 0);
	assert_int_equal(signals[1], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, set_up)
		TEST(outside_a_section_nothing_is_deferred),
		TEST(a_section_ends_with_one_signal_however_often_it_deferred),
		TEST(a_section_is_its_own_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
