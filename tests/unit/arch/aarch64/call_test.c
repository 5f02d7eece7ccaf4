/* SPDX-License-Identifier: MIT */
/* Facts about an aarch64 instruction from its word alone; the words come from GNU as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/call.h"

static void a_call_ends_where_it_returns_to(void **state)
{
	static const struct {
		uint32_t word;
		bool is;
	} words[] = {
		{ 0x97fffe9e, true },  /* bl .-1416 */
		{ 0x94000001, true },  /* bl .+4 */
		{ 0xd63f0000, true },  /* blr x0 */
		{ 0xd63f03c0, true },  /* blr x30 */
		{ 0xd73f0822, true },  /* blraa x1, x2 */
		{ 0xd73f0c5f, true },  /* blrab x2, sp */
		{ 0xd63f083f, true },  /* blraaz x1 */
		{ 0xd63f0c3f, true },  /* blrabz x1 */
		{ 0x14000001, false }, /* b .+4 */
		{ 0x54000001, false }, /* b.ne . */
		{ 0xd61f0200, false }, /* br x16 */
		{ 0xd71f0822, false }, /* braa x1, x2 */
		{ 0xd65f03c0, false }, /* ret */
		{ 0xd69f03e0, false }, /* eret */
		{ 0xd4000002, false }, /* hvc #0 */
		{ 0xd503201f, false }, /* nop */
		{ 0xd63f0820, false }, /* none */
		{ 0xd63f0001, false }, /* none */
		{ 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		uint64_t start = (uint64_t)&words[i].word;

		assert_int_equal(call_returns_to(start + 4, start), words[i].is);
	}
}

static void nothing_is_read_before_the_code_or_askew(void **state)
{
	static const uint32_t bl = 0x94000001;
	uint32_t *some = malloc(2 * sizeof(bl));
	uint64_t start = (uint64_t)some;

	(void)state;
	assert_non_null(some);
	some[0] = some[1] = bl;
	assert_false(call_returns_to(start, start));
	for (uint64_t i = 1; i < 4; i++) {
		assert_false(call_returns_to(start + i, start));
		assert_false(call_returns_to(start + 4 + i, start));
	}
	assert_true(call_returns_to(start + 4, start));
	assert_true(call_returns_to(start + 8, start));
	assert_false(call_returns_to(start - 4, start));
	assert_false(call_returns_to(start + 4, start + 8));
	free(some);
}

static void a_function_without_a_frame_returns_to_its_call(void **state)
{
	static const uint32_t text[] = {
		0x94000002, /* 0: bl 8 */
		0xd503201f, /* 4: nop */
		0xaa0003e1, /* 8: f: mov x1, x0 */
		0xd65f03c0, /* 12: ret */
		0xa9bf7bfd, /* 16: g: stp x29, x30, [sp, #-16]! */
		0x910003fd, /* 20: mov x29, sp */
		0x97fffffc, /* 24: bl 8 */
		0xd63f0000, /* 28: blr x0 */
		0xa8c17bfd, /* 32: ldp x29, x30, [sp], #16 */
		0xd65f03c0, /* 36: ret */
		0x14000001, /* 40: b 44 */
		0xd503201f, /* 44: nop */
		0x94800000, /* 48: bl far away */
	};
	const uint64_t at = (uint64_t)text, end = at + sizeof(text);

	(void)state;
	assert_true(call_is_leaf_of(at + 8, at + 4, at, end));
	assert_true(call_is_leaf_of(at + 12, at + 4, at, end));
	assert_true(call_is_leaf_of(at + 8, at + 28, at, end));
	assert_true(call_is_leaf_of(at + 20, at + 4, at, end));
	assert_false(call_is_leaf_of(at + 24, at + 4, at, end)); /* x29 is set */
	assert_false(call_is_leaf_of(at + 28, at + 28, at, end));
	assert_false(call_is_leaf_of(at + 4, at + 4, at, end)); /* before f */
	/* an indirect call: the callee is not known */
	assert_false(call_is_leaf_of(at + 8, at + 32, at, end));
	assert_true(call_is_leaf_of(at + 36, at + 32, at, end)); /* but to whom */
	assert_false(call_is_leaf_of(at + 36, at + 44, at, end));
	assert_false(call_is_leaf_of(at + 44, at + 44, at, end));
	assert_false(call_is_leaf_of(at + 8, at + 52, at, end));
	assert_false(call_is_leaf_of(at + 8, at + 4, at + 4, end));
	assert_false(call_is_leaf_of(at + 8, at + 4, at, at + 8));
	assert_false(call_is_leaf_of(at + 9, at + 4, at, end));
	assert_false(call_is_leaf_of(at + 8, end + 4, at, end));
	assert_false(call_is_leaf_of(at + 8, 0, at, end));
}

static void only_a_functions_first_bytes_are_examined(void **state)
{
	static uint32_t text[1 + CALL_LEAF / 4 + 2] = { 0x94000001 };
	const uint64_t at = (uint64_t)text, end = at + sizeof(text);

	(void)state;
	assert_true(call_is_leaf_of(at + 4 + CALL_LEAF, at + 4, at, end));
	assert_false(call_is_leaf_of(at + 8 + CALL_LEAF, at + 4, at, end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_ends_where_it_returns_to),
		cmocka_unit_test(nothing_is_read_before_the_code_or_askew),
		cmocka_unit_test(a_function_without_a_frame_returns_to_its_call),
		cmocka_unit_test(only_a_functions_first_bytes_are_examined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
