/* SPDX-License-Identifier: MIT */
/* Confidence intervals, compared with published ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "host-tools/report/diff/diff_stats.h"

static void assert_near(double seen, double expected, double within)
{
	if (!(fabs(seen - expected) <= within))
		fail_msg("%.9g, not %.9g", seen, expected);
}

/* Tables of the normal distribution and of Student's t, two-sided. */
static void quantiles_are_the_tables(void **state)
{
	(void)state;
	assert_near(diff_normal(0.95), 1.959964, 1e-6);
	assert_near(diff_normal(0.99), 2.575829, 1e-6);
	assert_near(diff_student(0.95, 1), 12.706205, 1e-6);
	assert_near(diff_student(0.95, 4), 2.776445, 1e-6);
	assert_near(diff_student(0.99, 10), 3.169273, 1e-6);
	/* between 8 degrees (2.3060) and 9 (2.2622) */
	assert_near(diff_student(0.95, 8.5), 2.2822, 1e-3);
	assert_near(diff_student(0.95, 1e6), 1.959966, 1e-5);
}

/* Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
 */
static void wilsons_intervals_are_the_published_ones(void **state)
{
	static const struct {
		double found, of, low, high;
	} all[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0.0000, 0.1611 },
		{ 1, 29, 0.0061, 0.1718 },
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct diff_interval seen =
		    diff_wilson(all[i].found / all[i].of, all[i].of, diff_normal(0.95));

		assert_near(seen.low, all[i].low, 5e-5);
		assert_near(seen.high, all[i].high, 5e-5);
	}
}

/* Newcombe, "Interval estimation for the difference" (1998), table II, method 10. */
static void differences_of_shares_are_the_published_ones(void **state)
{
	struct diff_interval seen;

	(void)state;
	seen = diff_newcombe(48.0 / 80, 80, 56.0 / 70, 70, diff_normal(0.95));
	assert_near(seen.low, 0.0524, 5e-5);
	assert_near(seen.high, 0.3339, 5e-5);
	seen = diff_newcombe(3.0 / 10, 10, 9.0 / 10, 10, diff_normal(0.95));
	assert_near(seen.low, 0.1705, 5e-5);
	assert_near(seen.high, 0.8090, 5e-5);
}

static void welchs_interval_of_equal_spreads_is_students(void **state)
{
	static const double first[] = { 1, 2, 3, 4, 5 }, second[] = { 2, 3, 4, 5, 6 };
	struct diff_moments one = diff_moments(first, 5), other = diff_moments(second, 5);
	struct diff_interval seen = diff_welch(&one, &other, 0.95);

	(void)state;
	assert_near(one.mean, 3, 1e-12);
	assert_near(one.variance, 2.5, 1e-12);
	/* the difference's standard deviation is 1, its degrees of freedom are 8 */
	assert_near(seen.low, 1 - 2.306004, 1e-5);
	assert_near(seen.high, 1 + 2.306004, 1e-5);
}

static void without_variation_an_interval_is_a_point(void **state)
{
	static const double first[] = { 0.1, 0.1, 0.1 }, second[] = { 0.3, 0.3, 0.3 };
	struct diff_moments one = diff_moments(first, 3), other = diff_moments(second, 3);
	struct diff_interval seen = diff_welch(&one, &other, 0.95);

	(void)state;
	assert_near(seen.low, 0.2, 1e-12);
	assert_near(seen.high, 0.2, 1e-12);
	seen = diff_welch(&one, &one, 0.95);
	assert_true(seen.low == 0 && seen.high == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_the_tables),
		cmocka_unit_test(wilsons_intervals_are_the_published_ones),
		cmocka_unit_test(differences_of_shares_are_the_published_ones),
		cmocka_unit_test(welchs_interval_of_equal_spreads_is_students),
		cmocka_unit_test(without_variation_an_interval_is_a_point),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
