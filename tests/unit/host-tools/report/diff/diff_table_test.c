/* SPDX-License-Identifier: MIT */
/* Functions of several recordings side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/diff/diff_table.h"

static struct diff_table table;

static int teardown(void **state)
{
	(void)state;
	diff_table_free(&table);
	return 0;
}

static void begin(unsigned olds, unsigned news, enum diff_compute compute, bool is_exact)
{
	table = (struct diff_table){ .counts = { olds, news },
		                     .compute = compute,
		                     .confidence = 0.95,
		                     .is_exact = is_exact };
	assert_int_equal(diff_table_init(&table), 0);
}

/* A recording with so many samples, each with a PERIOD of 10, in the functions abc, bc and c; the
 * names have another order in each recording. */
static void add(unsigned recording, unsigned a, unsigned b, unsigned c)
{
	static char names[6][4] = { "abc", "abc", "abc", "abc", "abc", "abc" };
	const unsigned counts[] = { a, b, c };
	struct histogram histogram = { 0 };
	double squares = 0;

	for (unsigned i = 0; i < 3; i++) {
		const struct histogram_key key = { .file = "image",
			                           .function = names[recording] + i };

		for (unsigned n = 0; n < counts[i]; n++) {
			assert_int_equal(histogram_add(&histogram, &key, 10), 0);
			squares += 100;
		}
	}
	assert_int_equal(diff_table_add(&table, recording, &histogram, squares), 0);
	histogram_free(&histogram);
}

static const struct diff_row *row_of(const char *function)
{
	for (size_t i = 0; i < table.count; i++) {
		if (!strcmp(table.rows[i]->function, function))
			return table.rows[i];
	}
	fail_msg("no %s", function);
	return NULL;
}

/* Whether a row's change is more than chance. */
static bool diff_row_differs(const struct diff_row *row)
{
	return row->interval.low > 0 || row->interval.high < 0;
}

static void assert_near(double seen, double expected)
{
	if (!(fabs(seen - expected) < 1e-9))
		fail_msg("%.9g, not %.9g", seen, expected);
}

static void rows_are_functions_by_name_the_largest_change_first(void **state)
{
	(void)state;
	begin(1, 1, DIFF_DELTA_ABS, false);
	add(0, 500, 300, 200);
	add(1, 600, 300, 100);
	diff_table_compare(&table);
	assert_int_equal(table.count, 3);
	assert_near(row_of("abc")->baseline, 0.5);
	assert_near(row_of("abc")->delta, 0.1);
	assert_near(row_of("bc")->delta, 0);
	assert_near(row_of("c")->delta, -0.1);
	assert_string_equal(table.rows[2]->function, "bc");
	assert_true(diff_row_differs(row_of("abc")) && diff_row_differs(row_of("c")));
	assert_false(diff_row_differs(row_of("bc")));
}

/* A difference of twenty of a hundred samples may be chance; two hundred of a thousand is not. */
static void few_samples_make_a_wide_interval(void **state)
{
	struct diff_interval wide;

	(void)state;
	begin(1, 1, DIFF_DELTA_ABS, false);
	add(0, 50, 50, 0);
	add(1, 60, 40, 0);
	diff_table_compare(&table);
	wide = row_of("abc")->interval;
	assert_false(diff_row_differs(row_of("abc")));
	diff_table_free(&table);
	begin(1, 1, DIFF_DELTA_ABS, false);
	add(0, 5000, 5000, 0);
	add(1, 6000, 4000, 0);
	diff_table_compare(&table);
	assert_true(diff_row_differs(row_of("abc")));
	assert_true(row_of("abc")->interval.high - row_of("abc")->interval.low <
	            (wide.high - wide.low) / 5);
}

static void without_chance_every_difference_counts(void **state)
{
	(void)state;
	begin(1, 1, DIFF_DELTA_ABS, true);
	add(0, 5000, 5000, 0);
	add(1, 5001, 4999, 0);
	diff_table_compare(&table);
	assert_true(diff_row_differs(row_of("abc")));
	assert_near(row_of("abc")->interval.low, row_of("abc")->delta);
	assert_near(row_of("abc")->interval.high, row_of("abc")->delta);
}

/* By counts, a function that did not change has no change, whatever other functions do. */
static void counts_name_the_one_that_changed(void **state)
{
	(void)state;
	begin(1, 1, DIFF_COUNT, true);
	add(0, 500, 300, 200);
	add(1, 700, 300, 200);
	diff_table_compare(&table);
	assert_near(row_of("abc")->delta, 0.2);
	assert_near(row_of("bc")->delta, 0);
	assert_near(row_of("c")->delta, 0);
}

/* 500 and 700 rare events: standard deviations of 22.4 and 26.5, 34.6 combined. */
static void the_interval_of_counts_is_poissons(void **state)
{
	(void)state;
	begin(1, 1, DIFF_COUNT, false);
	add(0, 500, 300, 200);
	add(1, 700, 300, 200);
	diff_table_compare(&table);
	assert_near(row_of("abc")->interval.high - 0.2, diff_normal(0.95) * sqrt(500 + 700) / 1000);
	assert_near(row_of("abc")->interval.low + row_of("abc")->interval.high, 0.4);
}

/* Repeated recordings show how far they differ without a cause. */
static void several_recordings_a_side_set_their_own_interval(void **state)
{
	(void)state;
	begin(3, 3, DIFF_DELTA_ABS, false);
	add(0, 500, 500, 0);
	add(1, 700, 300, 0);
	add(2, 300, 700, 0);
	add(3, 600, 400, 0);
	add(4, 800, 200, 0);
	add(5, 400, 600, 0);
	diff_table_compare(&table);
	assert_near(row_of("abc")->baseline, 0.5);
	assert_near(row_of("abc")->delta, 0.1);
	assert_false(diff_row_differs(row_of("abc")));
	/* deviations of 0.2 each, 4 degrees of freedom */
	assert_near(row_of("abc")->interval.high - 0.1, diff_student(0.95, 4) * sqrt(2 * 0.04 / 3));
	diff_table_free(&table);
	begin(2, 2, DIFF_DELTA_ABS, false);
	for (unsigned i = 0; i < 4; i++)
		add(i, i < 2 ? 500 : 501, i < 2 ? 500 : 499, 0);
	diff_table_compare(&table);
	assert_true(diff_row_differs(row_of("abc")));
}

static void a_function_of_one_side_alone_is_all_change(void **state)
{
	(void)state;
	begin(1, 1, DIFF_DELTA_ABS, true);
	add(0, 10, 0, 0);
	add(1, 0, 10, 0);
	diff_table_compare(&table);
	assert_near(row_of("abc")->delta, -1);
	assert_near(row_of("bc")->baseline, 0);
	assert_near(row_of("bc")->delta, 1);
}

static void the_table_names_its_method(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	begin(1, 1, DIFF_COUNT, true);
	add(0, 500, 300, 200);
	add(1, 700, 300, 200);
	diff_table_compare(&table);
	diff_table_print(&table, "cpu-clock", NULL, out);
	fclose(out);
	assert_non_null(strstr(text,
	                       "# Event 'cpu-clock'\n# Samples: 1000 in 1, 1200 in 1\n"
	                       "# Event count (approx.): 10000, 12000 (+20.00%)\n# Exact"));
	assert_non_null(strstr(text, "    50.00%      +20.00%  [+20.00%, +20.00%]    image"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(rows_are_functions_by_name_the_largest_change_first,
		                          teardown),
		cmocka_unit_test_teardown(few_samples_make_a_wide_interval, teardown),
		cmocka_unit_test_teardown(without_chance_every_difference_counts, teardown),
		cmocka_unit_test_teardown(counts_name_the_one_that_changed, teardown),
		cmocka_unit_test_teardown(the_interval_of_counts_is_poissons, teardown),
		cmocka_unit_test_teardown(several_recordings_a_side_set_their_own_interval,
		                          teardown),
		cmocka_unit_test_teardown(a_function_of_one_side_alone_is_all_change, teardown),
		cmocka_unit_test_teardown(the_table_names_its_method, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
