/* SPDX-License-Identifier: MIT */
/* The statistics of a service's calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/bench/services_figures.h"

static void quantiles_are_values_themselves(void **state)
{
	uint64_t values[200];
	struct services_figures f;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		values[i] = (i * 77 + 13) % 200 + 1; /* 1 to 200, each once */
	services_figures_of(&f, values, 200);
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(values[i], i + 1);
	assert_int_equal(f.calls, 200);
	assert_int_equal(f.min, 1);
	assert_int_equal(f.p25, 50);
	assert_int_equal(f.median, 100);
	assert_int_equal(f.p75, 150);
	assert_int_equal(f.p99, 198);
	assert_int_equal(f.max, 200);
	assert_int_equal(f.sum, 20100);
}

static void one_value_is_every_quantile(void **state)
{
	uint64_t value = 7;
	struct services_figures f;

	(void)state;
	services_figures_of(&f, &value, 1);
	assert_int_equal(f.min + f.p25 + f.median + f.p75 + f.p99 + f.max + f.sum, 49);
}

static void equal_values_and_a_sorted_list_stay(void **state)
{
	uint64_t equal[] = { 5, 5, 5, 5 }, down[] = { 9, 7, 5, 3, 1 };
	struct services_figures f;

	(void)state;
	services_figures_of(&f, equal, 4);
	assert_int_equal(f.p25, 5);
	assert_int_equal(f.max, 5);
	services_figures_of(&f, down, 5);
	assert_int_equal(f.p25, 3);
	assert_int_equal(f.median, 5);
	assert_int_equal(f.p75, 7);
}

static void a_sum_that_is_too_large_is_the_largest(void **state)
{
	uint64_t values[] = { UINT64_MAX - 1, 1, 1 };
	struct services_figures f;

	(void)state;
	services_figures_of(&f, values, 3);
	assert_true(f.sum == UINT64_MAX);
}

static void scaling_does_not_overflow(void **state)
{
	(void)state;
	assert_int_equal(services_scale(3, 1000000000000, 2000000000), 1500);
	assert_int_equal(services_scale(1ULL << 60, 1000, 2000), 1ULL << 59);
	assert_true(services_scale(UINT64_MAX, 2, 1) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_values_themselves),
		cmocka_unit_test(one_value_is_every_quantile),
		cmocka_unit_test(equal_values_and_a_sorted_list_stay),
		cmocka_unit_test(a_sum_that_is_too_large_is_the_largest),
		cmocka_unit_test(scaling_does_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
