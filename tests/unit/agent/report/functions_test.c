/* SPDX-License-Identifier: MIT */
/* Names and weights of functions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "agent/report/functions.h"

static struct functions functions;
static const struct function *hottest[10];

static int clear(void **state)
{
	(void)state;
	functions_free(&functions);
	return 0;
}

/* Four functions: a at 0x100, 0x10 long; b at 0x110; after a gap c at 0x200, without a size; d
 * behind c. */
static void add_four(void)
{
	assert_int_equal(functions_add(&functions, 0x210, 8, "d"), 0);
	assert_int_equal(functions_add(&functions, 0x100, 0x10, "a"), 0);
	assert_int_equal(functions_add(&functions, 0x200, 0, "c"), 0);
	assert_int_equal(functions_add(&functions, 0x110, 1, "b"), 0);
	functions_sort(&functions);
}

/* The name of the function at this address; "" if there is none. */
static const char *name_at(uint64_t address)
{
	functions_forget(&functions);
	functions_weigh(&functions, address, 1);
	assert_int_equal(functions.weight, 1);
	return functions_hottest(&functions, hottest, 10) ? hottest[0]->name : "";
}

static void an_address_is_its_functions_first_to_last_byte(void **state)
{
	(void)state;
	add_four();
	assert_string_equal(name_at(0x100), "a");
	assert_string_equal(name_at(0x10f), "a");
	assert_string_equal(name_at(0x110), "b");
	assert_string_equal(name_at(0x210), "d");
	assert_string_equal(name_at(0x217), "d");
}

static void addresses_in_gaps_and_outside_belong_to_no_function(void **state)
{
	(void)state;
	add_four();
	assert_string_equal(name_at(0), "");
	assert_string_equal(name_at(0xff), "");
	assert_string_equal(name_at(0x111), "");
	assert_string_equal(name_at(0x1ff), "");
	assert_string_equal(name_at(0x218), "");
	assert_string_equal(name_at(UINT64_MAX), "");
}

static void without_a_size_it_reaches_to_the_next_but_4_kib_at_most(void **state)
{
	(void)state;
	add_four();
	assert_string_equal(name_at(0x20f), "c");
	assert_int_equal(functions_add(&functions, 0x10000, 0, "last"), 0);
	functions_sort(&functions);
	assert_string_equal(name_at(0x10fff), "last");
	assert_string_equal(name_at(0x11000), "");
}

static void no_function_reaches_into_the_next(void **state)
{
	(void)state;
	assert_int_equal(functions_add(&functions, 0x100, 0x1000, "long"), 0);
	assert_int_equal(functions_add(&functions, 0x180, 0x10, "inside"), 0);
	functions_sort(&functions);
	assert_string_equal(name_at(0x17f), "long");
	assert_string_equal(name_at(0x180), "inside");
	assert_string_equal(name_at(0x190), "");
}

static void of_names_at_one_address_the_one_that_perf_shows_stays(void **state)
{
	(void)state;
	assert_int_equal(functions_add(&functions, 0x200, 8, "_sbrk_r"), 0);
	assert_int_equal(functions_add(&functions, 0x200, 8, "__sbrk"), 0);
	assert_int_equal(functions_add(&functions, 0x200, 8, "brk"), 0);
	assert_int_equal(functions_add(&functions, 0x200, 8, "sbrk"), 0);
	assert_int_equal(functions_add(&functions, 0x100, 8, "first"), 0);
	assert_int_equal(functions_add(&functions, 0x100, 16, "other"), 0);
	assert_int_equal(functions_add(&functions, 0x80, 8, "before"), 0);
	functions_sort(&functions);
	assert_int_equal(functions.count, 3);
	assert_string_equal(name_at(0x104), "first");
	assert_string_equal(name_at(0x108), "");
	assert_string_equal(name_at(0x204), "sbrk");
}

static void at_the_end_of_all_addresses_nothing_wraps(void **state)
{
	(void)state;
	assert_int_equal(functions_add(&functions, UINT64_MAX - 7, 0, "end"), 0);
	assert_int_equal(functions_add(&functions, UINT64_MAX - 15, UINT64_MAX, "huge"), 0);
	functions_sort(&functions);
	assert_string_equal(name_at(UINT64_MAX - 1), "end");
	assert_string_equal(name_at(UINT64_MAX - 8), "huge");
	assert_string_equal(name_at(0), "");
}

static void an_empty_list_has_no_hottest(void **state)
{
	(void)state;
	functions_sort(&functions);
	assert_string_equal(name_at(0x100), "");
	assert_int_equal(functions_hottest(&functions, hottest, 10), 0);
	assert_int_equal(functions.samples, 1);
}

/* The output of boot/symbol-file --table. */
static void an_images_table_is_taken_at_its_base(void **state)
{
	static const struct {
		uint32_t count;
		struct image_symbol symbols[2];
		char names[12];
	} table = { 2, { { 0x10, 8, 0 }, { 0x20, 4, 4 } }, "one\0two" };

	(void)state;
	assert_int_equal(functions_add_image(&functions, (const void *)&table, 0x7f000000), 0);
	functions_sort(&functions);
	assert_string_equal(name_at(0x7f000017), "one");
	assert_string_equal(name_at(0x7f000020), "two");
	assert_string_equal(name_at(0x7f000024), "");
	assert_string_equal(name_at(0x10), "");
}

static void the_heaviest_come_first_and_of_equals_the_lower(void **state)
{
	static char names[30][4];

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		snprintf(names[i], sizeof(names[i]), "%u", i);
		assert_int_equal(functions_add(&functions, 16 * i, 16, names[i]), 0);
	}
	functions_sort(&functions);
	for (unsigned i = 0; i < 30; i++)
		functions_weigh(&functions, 16 * i, i == 17 ? 900 : 100 * (i % 5));
	assert_int_equal(functions_hottest(&functions, hottest, 10), 10);
	assert_string_equal(hottest[0]->name, "17");
	assert_string_equal(hottest[1]->name, "4");
	assert_string_equal(hottest[6]->name, "29");
	assert_string_equal(hottest[7]->name, "3");
	assert_string_equal(hottest[9]->name, "13");
	assert_int_equal(functions_hottest(&functions, hottest, 1), 1);
	assert_string_equal(hottest[0]->name, "17");
}

static void those_without_weight_are_none(void **state)
{
	(void)state;
	add_four();
	functions_weigh(&functions, 0x200, 3);
	functions_weigh(&functions, 0x110, 0);
	assert_int_equal(functions_hottest(&functions, hottest, 10), 1);
	assert_string_equal(hottest[0]->name, "c");
}

static void sums_stop_where_they_would_wrap(void **state)
{
	(void)state;
	add_four();
	functions_weigh(&functions, 0x100, UINT64_MAX - 1);
	functions_weigh(&functions, 0x100, 5);
	functions_weigh(&functions, 0x200, 5);
	assert_int_equal(functions.weight, UINT64_MAX);
	assert_int_equal(functions_hottest(&functions, hottest, 10), 2);
	assert_string_equal(hottest[0]->name, "a");
	assert_int_equal(hottest[0]->weight, UINT64_MAX);
	assert_int_equal(functions_share(&functions, hottest[0]->weight), 10000);
	assert_int_equal(functions_share(&functions, hottest[1]->weight), 0);
}

static void shares_are_of_everything_and_rounded(void **state)
{
	(void)state;
	add_four();
	functions_weigh(&functions, 0x100, 2);
	functions_weigh(&functions, 0x150, 1); /* nobody's */
	assert_int_equal(functions_hottest(&functions, hottest, 10), 1);
	assert_int_equal(functions_share(&functions, hottest[0]->weight), 6667);
	functions_forget(&functions);
	assert_int_equal(functions_share(&functions, hottest[0]->weight), 0);
	functions_weigh(&functions, 0x100, 1ULL << 62);
	functions_weigh(&functions, 0x200, 3ULL << 60);
	assert_int_equal(functions_share(&functions, hottest[0]->weight), 5714);
}

static void memory_has_a_bound(void **state)
{
	int code = 0;

	(void)state;
	for (uint64_t i = 0; i < FUNCTIONS_MAX; i++)
		code |= functions_add(&functions, 8 * i, 8, "f");
	assert_int_equal(code, 0);
	assert_int_equal(functions_add(&functions, 8, 8, "f"), -ENOMEM);
	assert_int_equal(functions.count, FUNCTIONS_MAX);
}

#define TEST(function) cmocka_unit_test_teardown(function, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_address_is_its_functions_first_to_last_byte),
		TEST(addresses_in_gaps_and_outside_belong_to_no_function),
		TEST(without_a_size_it_reaches_to_the_next_but_4_kib_at_most),
		TEST(no_function_reaches_into_the_next),
		TEST(of_names_at_one_address_the_one_that_perf_shows_stays),
		TEST(at_the_end_of_all_addresses_nothing_wraps),
		TEST(an_empty_list_has_no_hottest),
		TEST(an_images_table_is_taken_at_its_base),
		TEST(the_heaviest_come_first_and_of_equals_the_lower),
		TEST(those_without_weight_are_none),
		TEST(sums_stop_where_they_would_wrap),
		TEST(shares_are_of_everything_and_rounded),
		TEST(memory_has_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
