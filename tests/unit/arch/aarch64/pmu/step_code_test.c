/* SPDX-License-Identifier: MIT */
/* Facts about an aarch64 instruction for single-step; the words come from GNU as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pmu/step_code.h"

#define AT 0x40001000UL

/* always: a transfer even to the next instruction. target: a direct branch's target if the branch
 * is at AT. */
static const struct {
	uint32_t word;
	bool always, conditional;
	uint64_t target;
} words[] = {
	{ 0x14000002, true, false, AT + 8 }, /* b .+8 */
	{ 0x17ffffff, true, false, AT - 4 }, /* b .-4 */
	{ 0x94000002, true, false, AT + 8 }, /* bl .+8 */
	{ 0x54000040, false, true, AT + 8 }, /* b.eq .+8 */
	{ 0xb4000041, false, true, AT + 8 }, /* cbz x1, .+8 */
	{ 0x35ffffc1, false, true, AT - 8 }, /* cbnz w1, .-8 */
	{ 0xb6080041, false, true, AT + 8 }, /* tbz x1, #33, .+8 */
	{ 0x371fffc1, false, true, AT - 8 }, /* tbnz w1, #3, .-8 */
	{ 0xd61f0020, true, false, 0 },      /* br x1 */
	{ 0xd63f0020, true, false, 0 },      /* blr x1 */
	{ 0xd65f03c0, true, false, 0 },      /* ret */
	{ 0xd69f03e0, true, false, 0 },      /* eret */
	{ 0xd71f0822, true, false, 0 },      /* braa x1, x2 */
	{ 0xd61f0c3f, true, false, 0 },      /* brabz x1 */
	{ 0xd63f083f, true, false, 0 },      /* blraaz x1 */
	{ 0xd65f0bff, true, false, 0 },      /* retaa */
	{ 0xd65f0fff, true, false, 0 },      /* retab */
	{ 0xd69f0bff, true, false, 0 },      /* eretaa */
	{ 0xd4000001, false, false, 0 },     /* svc #0 */
	{ 0xd4000022, false, false, 0 },     /* hvc #1 */
	{ 0xd503201f, false, false, 0 },     /* nop */
	{ 0xd503207f, false, false, 0 },     /* wfi */
	{ 0xf9400041, false, false, 0 },     /* ldr x1, [x2] */
	{ 0xd50342df, false, false, 0 },     /* msr daifset, #2 */
};

static void a_branch_is_seen_by_the_address_that_follows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(step_branches(words[i].word, AT, AT + 4), words[i].always);
		assert_true(step_branches(words[i].word, AT, AT + 8));
		assert_true(step_branches(words[i].word, AT, 0xffff000000000200UL));
		assert_int_equal(step_branches(words[i].word, AT, AT), words[i].always);
		assert_int_equal(step_is_conditional(words[i].word), words[i].conditional);
		if (words[i].target)
			assert_int_equal(step_target(words[i].word, AT), words[i].target);
	}
}

static void a_conditional_branch_may_lead_to_itself(void **state)
{
	(void)state;
	assert_true(step_branches(0x54000001, AT, AT));  /* b.ne . */
	assert_false(step_branches(0x54000021, AT, AT)); /* b.ne .+4 */
}

static void exclusive_accesses_are_distinguished_from_others(void **state)
{
	static const struct {
		uint32_t word;
		bool load, store;
	} accesses[] = {
		{ 0xc85f7c41, true, false },  /* ldxr x1, [x2] */
		{ 0x085f7c41, true, false },  /* ldxrb w1, [x2] */
		{ 0x485ffc41, true, false },  /* ldaxrh w1, [x2] */
		{ 0x887f8861, true, false },  /* ldaxp w1, w2, [x3] */
		{ 0xc87f0861, true, false },  /* ldxp x1, x2, [x3] */
		{ 0xc8017c62, false, true },  /* stxr w1, x2, [x3] */
		{ 0x0801fc62, false, true },  /* stlxrb w1, w2, [x3] */
		{ 0x88210c82, false, true },  /* stxp w1, w2, w3, [x4] */
		{ 0xc8218c82, false, true },  /* stlxp w1, x2, x3, [x4] */
		{ 0xc8e1fc62, false, false }, /* casal x1, x2, [x3] */
		{ 0x48227cc4, false, false }, /* casp x2, x3, x4, x5, [x6] */
		{ 0xc8dffc41, false, false }, /* ldar x1, [x2] */
		{ 0xc89ffc41, false, false }, /* stlr x1, [x2] */
		{ 0xc8df7c41, false, false }, /* ldlar x1, [x2] */
		{ 0xf9400041, false, false }, /* ldr x1, [x2] */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		assert_int_equal(step_is_load_exclusive(accesses[i].word), accesses[i].load);
		assert_int_equal(step_is_store_exclusive(accesses[i].word), accesses[i].store);
	}
}

static void instructions_that_wait_are_found(void **state)
{
	(void)state;
	assert_true(step_is_wait(0xd503203f));  /* yield */
	assert_true(step_is_wait(0xd503205f));  /* wfe */
	assert_true(step_is_wait(0xd503207f));  /* wfi */
	assert_false(step_is_wait(0xd503201f)); /* nop */
	assert_false(step_is_wait(0xd503209f)); /* sev */
}

static void instructions_that_set_the_debug_mask_are_found(void **state)
{
	(void)state;
	assert_true(step_is_daifset(0xd50348df));  /* msr daifset, #8 */
	assert_true(step_is_daifset(0xd5034fdf));  /* msr daifset, #15 */
	assert_false(step_is_daifset(0xd50348ff)); /* msr daifclr, #8 */
	assert_false(step_is_daifset(0xd50041bf)); /* msr spsel, #1 */
	assert_true(step_is_daif(0xd51b4221));     /* msr daif, x1 */
	assert_true(step_is_daif(0xd51b423f));     /* msr daif, xzr */
	assert_false(step_is_daif(0xd53b4221));    /* mrs x1, daif */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_is_seen_by_the_address_that_follows),
		cmocka_unit_test(a_conditional_branch_may_lead_to_itself),
		cmocka_unit_test(exclusive_accesses_are_distinguished_from_others),
		cmocka_unit_test(instructions_that_wait_are_found),
		cmocka_unit_test(instructions_that_set_the_debug_mask_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
