/* SPDX-License-Identifier: MIT */
/* Which figures the machine's noise makes void. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host-tools/bench/bench_void.h"

static const struct bench_counter tsc = { BENCH_CLOCK, 0, 0 };
static const struct bench_counter instructions = { BENCH_FIXED, 0, 0 };
static const struct bench_counter cycles = { BENCH_FIXED, 1, 0 };
static const struct bench_counter reference = { BENCH_FIXED, 2, 0 };
static const struct bench_counter loads = { BENCH_GENERAL, 2, 0x81d0 };
static const struct bench_counter msr = { BENCH_REGISTER, 0, 0xe8 };

static void a_quiet_machine_spoils_nothing(void **state)
{
	const struct bench_noise quiet = { .ratio = { 12000, 12100 } };
	const struct bench_noise unknown = { .smis = BENCH_UNKNOWN,
		                             .stolen = BENCH_UNKNOWN,
		                             .machine_checks = BENCH_UNKNOWN,
		                             .throttled = BENCH_UNKNOWN,
		                             .ratio = { 0, 12000 } };

	(void)state;
	assert_int_equal(bench_void(&quiet, &tsc) | bench_void(&quiet, &loads), 0);
	assert_int_equal(bench_void(&unknown, &tsc) | bench_void(&unknown, &loads), 0);
}

static void an_smi_spoils_all_that_counts_meanwhile(void **state)
{
	const struct bench_noise counting = { .smis = 1 }, frozen = { .smis = 1, .frozen = 1 };

	(void)state;
	assert_int_equal(bench_void(&counting, &tsc), BENCH_VOID_SMIS);
	assert_int_equal(bench_void(&counting, &instructions), BENCH_VOID_SMIS);
	assert_int_equal(bench_void(&counting, &loads), BENCH_VOID_SMIS);
	assert_int_equal(bench_void(&frozen, &tsc), BENCH_VOID_SMIS);
	assert_int_equal(bench_void(&frozen, &msr), BENCH_VOID_SMIS);
	assert_int_equal(bench_void(&frozen, &instructions), 0);
	assert_int_equal(bench_void(&frozen, &loads), 0);
}

static void lost_time_spoils_what_counts_time(void **state)
{
	const struct bench_noise stolen = { .stolen = 1 }, slow = { .throttled = 1 };

	(void)state;
	assert_int_equal(bench_void(&stolen, &tsc), BENCH_VOID_STOLEN);
	assert_int_equal(bench_void(&stolen, &reference), BENCH_VOID_STOLEN);
	assert_int_equal(bench_void(&stolen, &cycles), 0);
	assert_int_equal(bench_void(&slow, &msr), BENCH_VOID_THROTTLED);
	assert_int_equal(bench_void(&slow, &cycles) | bench_void(&slow, &loads), 0);
}

static void interrupts_and_machine_checks_spoil_everything(void **state)
{
	const struct bench_noise both = { .interrupts = 1, .machine_checks = 2 };

	(void)state;
	assert_int_equal(bench_void(&both, &loads), BENCH_VOID_INTERRUPTS | BENCH_VOID_CHECKS);
	assert_int_equal(bench_void(&both, &tsc), BENCH_VOID_INTERRUPTS | BENCH_VOID_CHECKS);
}

static void a_frequency_may_move_by_a_hundredth(void **state)
{
	struct bench_noise noise = { .ratio = { 20000, 20200 } };

	(void)state;
	assert_int_equal(bench_void(&noise, &tsc), 0);
	noise.ratio[1] = 20201;
	assert_int_equal(bench_void(&noise, &tsc), BENCH_VOID_FREQUENCY);
	assert_int_equal(bench_void(&noise, &cycles), 0);
	noise.ratio[1] = 19799;
	assert_int_equal(bench_void(&noise, &tsc), BENCH_VOID_FREQUENCY);
	noise.ratio[1] = 0; /* the run was too short */
	assert_int_equal(bench_void(&noise, &tsc), 0);
}

static void each_reason_has_a_name(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BENCH_VOIDS; i++)
		assert_non_null(bench_void_name(i));
	assert_string_equal(bench_void_name(3), "machine_checks");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_machine_spoils_nothing),
		cmocka_unit_test(an_smi_spoils_all_that_counts_meanwhile),
		cmocka_unit_test(lost_time_spoils_what_counts_time),
		cmocka_unit_test(interrupts_and_machine_checks_spoil_everything),
		cmocka_unit_test(a_frequency_may_move_by_a_hundredth),
		cmocka_unit_test(each_reason_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
