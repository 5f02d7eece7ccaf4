/* SPDX-License-Identifier: MIT */
/* Which of an address's names is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>

#include "host-tools/pe/alias.h"

/* In order: the name that is preferred to all others first. */
static const struct {
	bool has_size;
	unsigned binding;
	const char *name;
} names[] = {
	{ true, STB_GLOBAL, "longest" },    { true, STB_GLOBAL, "short" },
	{ true, STB_GLOBAL, "_longest" },   { true, STB_GLOBAL, "__longest_of_all" },
	{ true, STB_LOCAL, "local_long" },  { true, STB_LOCAL, "local" },
	{ true, STB_WEAK, "weak_longest" }, { true, STB_WEAK, "weak" },
	{ false, STB_GLOBAL, "longest" },   { false, STB_LOCAL, "longest" },
	{ false, STB_WEAK, "longest" },     { false, STB_WEAK, "_" },
};

static void names_count_in_the_order_that_perf_has(void **state)
{
	(void)state;
	for (size_t i = 0; i + 1 < sizeof(names) / sizeof(names[0]); i++)
		assert_true(
		    alias_rank(names[i].has_size, names[i].binding, names[i].name) >
		    alias_rank(names[i + 1].has_size, names[i + 1].binding, names[i + 1].name));
	assert_true(alias_rank(true, STB_LOCAL, "same") == alias_rank(true, STB_LOCAL, "kind"));
}

static void mapping_symbols_are_those_of_arms_specification(void **state)
{
	static const char *const mapping[] = { "$x", "$d", "$a", "$t", "$x.0", "$d.rodata.str" };
	static const char *const others[] = { "", "$", "x", "$xx", "$b", "$d_", "a$x" };

	(void)state;
	for (size_t i = 0; i < sizeof(mapping) / sizeof(mapping[0]); i++)
		assert_true(alias_is_mapping(mapping[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(alias_is_mapping(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_count_in_the_order_that_perf_has),
		cmocka_unit_test(mapping_symbols_are_those_of_arms_specification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
