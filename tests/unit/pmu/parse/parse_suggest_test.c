/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/parse/suggest.h"

/* The suggestion for word among these names, which end with NULL. */
static const char *offered(const char *word, const char *const *names)
{
	struct suggestion s = suggestion_for(word, strlen(word));

	while (*names)
		suggestion_offer(&s, *names++);
	return s.meant;
}

/* The distance of a near suggestion; 99: none is near. */
static unsigned distance(const char *word, const char *name)
{
	struct suggestion s = suggestion_for(word, strlen(word));

	suggestion_offer(&s, name);
	return s.meant ? s.distance : 99;
}

static void a_letter_added_dropped_changed_or_swapped_is_one(void **state)
{
	(void)state;
	assert_int_equal(distance("cycles", "cycles"), 0);
	assert_int_equal(distance("cyclees", "cycles"), 1);
	assert_int_equal(distance("cyles", "cycles"), 1);
	assert_int_equal(distance("cucles", "cycles"), 1);
	assert_int_equal(distance("cylces", "cycles"), 1);
	assert_int_equal(distance("yccles", "cycles"), 1);
	assert_int_equal(distance("cyclse", "cycles"), 1);
	assert_int_equal(distance("instrutcion", "instructions"), 2);
	assert_int_equal(distance("CyCLeS", "cycles"), 0);
}

static void the_longer_the_word_the_more_may_differ(void **state)
{
	(void)state;
	assert_int_equal(distance("lop", "loop"), 1);
	assert_int_equal(distance("lxx", "loop"), 99);
	assert_int_equal(distance("lxop", "loop"), 1);
	assert_int_equal(distance("lxxp", "loop"), 2);
	assert_int_equal(distance("xxop", "help"), 99);
	assert_int_equal(distance("stalled-cycles-frontent", "stalled-cycles-frontend"), 1);
	assert_int_equal(distance("at", "atom"), 99);
}

static void a_beginning_is_near(void **state)
{
	(void)state;
	assert_int_equal(distance("inst", "instructions"), 1);
	assert_int_equal(distance("cycle", "cycles"), 1);
	assert_int_equal(distance("in", "instructions"), 99);
}

static void the_nearest_is_offered_and_of_equals_the_first(void **state)
{
	static const char *const names[] = { "branch-misses", "branches", "branchy", NULL };

	(void)state;
	assert_string_equal(offered("branchs", names), "branches");
	assert_string_equal(offered("branchx", names), "branchy");
	assert_string_equal(offered("branch-miss", names), "branch-misses");
	assert_null(offered("cache", names));
}

static void any_length_is_survived(void **state)
{
	char word[200];

	(void)state;
	memset(word, 'x', sizeof(word));
	word[199] = '\0';
	assert_int_equal(distance(word, word), 99);
	word[64] = '\0';
	assert_int_equal(distance(word, "x"), 99);
	word[63] = '\0';
	assert_int_equal(distance(word, word), 0);
	assert_int_equal(distance("xxx", word), 1);
	assert_int_equal(distance("", ""), 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_letter_added_dropped_changed_or_swapped_is_one),
		cmocka_unit_test(the_longer_the_word_the_more_may_differ),
		cmocka_unit_test(a_beginning_is_near),
		cmocka_unit_test(the_nearest_is_offered_and_of_equals_the_first),
		cmocka_unit_test(any_length_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
