/* SPDX-License-Identifier: MIT */
/* Watchdogs in ACPI tables, and how they are reset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/lib/acpi/acpi_rig.h"

static void watchdogs_are_found_and_whether_one_is_enabled(void **state)
{
	uint32_t wdat;

	(void)state;
	seal_table(add_table("WDRT", 44));
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_string_equal(platform.watchdog, "WDRT");
	assert_false(platform.watchdog_is_enabled);

	wdat = add_table("WDAT", 80);
	put(wdat + 60, 0x80, 1); /* flag: it stops in sleep, which does not mean that it runs */
	seal_table(wdat);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_string_equal(platform.watchdog, "WDAT");
	assert_false(platform.watchdog_is_enabled);
	put(wdat + 60, 0x81, 1);
	seal_table(wdat);
	assert_int_equal(parse(), 0);
	assert_true(platform.watchdog_is_enabled);
}

/* Entries of WDAT: action, instruction, space, width, offset, size of access. */
static void put_entry(uint32_t at, const uint8_t head[6], uint64_t address, uint32_t value,
                      uint32_t mask)
{
	put(at, head[0], 1);
	put(at + 1, head[1], 1);
	for (unsigned i = 0; i < 4; i++)
		put(at + 4 + i, head[2 + i], 1);
	put(at + 8, address, 8);
	put(at + 16, value, 4);
	put(at + 20, mask, 4);
}

static void the_action_reset_defines_how_a_watchdog_is_served(void **state)
{
	uint32_t wdat = add_table("WDAT", 68 + 3 * 24);
	const struct arch_watchdog_step *steps = platform.watchdog_steps;

	(void)state;
	put(wdat + 60, 1, 1);
	put(wdat + 64, 3, 4);
	put_entry(wdat + 68, (const uint8_t[]){ 1, 0x82, 1, 16, 3, 2 }, 0x460, 1, 0x3ff);
	put_entry(wdat + 92, (const uint8_t[]){ 6, 3, 0, 32, 0, 3 }, 0x1000, 0, 0x3f);
	put_entry(wdat + 116, (const uint8_t[]){ 1, 0, 0, 32, 0, 0 }, 0xfed00004, 7, 0xff);
	seal_table(wdat);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.watchdog_step_count, 2);
	assert_true(steps[0].io && steps[0].write && steps[0].keep);
	assert_int_equal(steps[0].address, 0x460);
	assert_int_equal(steps[0].bytes, 2);
	assert_int_equal(steps[0].shift, 3);
	assert_int_equal(steps[0].value, 1);
	assert_int_equal(steps[0].mask, 0x3ff);
	assert_false(steps[1].io || steps[1].write || steps[1].keep);
	assert_int_equal(steps[1].address, 0xfed00004);
	assert_int_equal(steps[1].bytes, 4);
	/* no entry of WDAT names the state's register */
	assert_int_equal(platform.watchdog_state.bytes, 0);
	/* the count claims more entries than the table contains */
	put(wdat + 64, 9, 4);
	seal_table(wdat);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.watchdog_step_count, 2);
	put(wdat + 64, 1, 4);
	seal_table(wdat);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.watchdog_step_count, 1);
}

static void whether_it_counts_is_read_as_its_only_query_says(void **state)
{
	static const struct {
		uint8_t heads[2][6];
		uint8_t bytes; /* of the state's register; 0: not known */
	} cases[] = {
		{ { { 8, 0, 1, 16, 11, 2 }, { 9, 2, 1, 16, 11, 2 } },
		  2 }, /* an action that sets the state is no query */
		{ { { 8, 0x80, 1, 16, 11, 2 }, { 0 } }, 2 },
		{ { { 8, 0, 1, 16, 11, 2 }, { 8, 0, 1, 16, 11, 2 } }, 0 }, /* two of them */
		{ { { 8, 1, 1, 16, 11, 2 }, { 0 } }, 0 },                  /* a countdown is read */
		{ { { 8, 2, 1, 16, 11, 2 }, { 0 } }, 0 },                  /* it writes */
		{ { { 8, 0, 2, 16, 11, 2 }, { 0 } }, 0 },                  /* configuration space */
	};
	uint32_t wdat = add_table("WDAT", 68 + 2 * 24);

	(void)state;
	put(wdat + 60, 1, 1);
	put(wdat + 64, 2, 4);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_entry(wdat + 68, cases[i].heads[0], 0x468, 0, 1);
		put_entry(wdat + 92, cases[i].heads[1], 0x468, 0, 1);
		seal_table(wdat);
		seal_roots();
		assert_int_equal(parse(), 0);
		assert_true(platform.watchdog_is_enabled);
		assert_int_equal(platform.watchdog_state.bytes, cases[i].bytes);
		if (!cases[i].bytes)
			continue;
		assert_int_equal(platform.watchdog_state.address, 0x468);
		assert_true(platform.watchdog_state.io);
		assert_int_equal(platform.watchdog_state.shift, 11);
		assert_int_equal(platform.watchdog_state.value, 0);
		assert_int_equal(platform.watchdog_state.mask, 1);
	}
}

/* If one part is not understood, nothing is done. */
static void an_action_that_is_not_understood_is_none(void **state)
{
	static const uint8_t heads[][6] = {
		{ 1, 3, 0, 32, 0, 3 },  /* a countdown is written */
		{ 1, 2, 2, 32, 0, 3 },  /* PCI configuration space */
		{ 1, 2, 0, 64, 0, 4 },  /* 8 bytes */
		{ 1, 2, 0, 12, 0, 0 },  /* 12 bits */
		{ 1, 2, 0, 32, 32, 3 }, /* beyond the register */
	};
	uint32_t wdat = add_table("WDAT", 68 + 2 * 24);

	(void)state;
	put(wdat + 64, 2, 4);
	put_entry(wdat + 68, (const uint8_t[]){ 1, 2, 0, 32, 0, 3 }, 0x1000, 1, 1);
	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		put_entry(wdat + 92, heads[i], 0x1000, 1, 1);
		seal_table(wdat);
		seal_roots();
		assert_int_equal(parse(), 0);
		assert_int_equal(platform.watchdog_step_count, 0);
	}
	put_entry(wdat + 92, (const uint8_t[]){ 1, 2, 1, 32, 0, 3 }, 0xfffe, 1, 1); /* unaligned */
	seal_table(wdat);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.watchdog_step_count, 0);
	put_entry(wdat + 92, (const uint8_t[]){ 1, 2, 1, 32, 0, 3 }, 0xfffc, 1, 1);
	seal_table(wdat);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.watchdog_step_count, 2);
}

/* A timer block of 60 bytes, then a watchdog; and the same with a count of one. */
static void arms_generic_watchdog_is_one_of_its_platform_timers(void **state)
{
	uint32_t gtdt = add_table("GTDT", 96 + 60 + 28);

	(void)state;
	put(gtdt + 88, 2, 4);
	put(gtdt + 92, 96, 4);
	put(gtdt + 96 + 1, 60, 2);
	put(gtdt + 96 + 60, 1, 1);
	put(gtdt + 96 + 60 + 1, 28, 2);
	seal_table(gtdt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_string_equal(platform.watchdog, "GTDT");
	assert_false(platform.watchdog_is_enabled);
	assert_int_equal(platform.watchdog_step_count, 0); /* its frames have no addresses */
	put(gtdt + 96 + 60 + 4, 0x2a440000, 8);
	put(gtdt + 96 + 60 + 12, 0x2a450000, 8);
	seal_table(gtdt);
	assert_int_equal(parse(), 0);
	assert_true(platform.watchdog_is_enabled);
	assert_int_equal(platform.watchdog_state.address, 0x2a450000);
	assert_int_equal(platform.watchdog_state.bytes, 4);
	assert_int_equal(platform.watchdog_state.value, 1);
	assert_int_equal(platform.watchdog_state.mask, 1);
	assert_int_equal(platform.watchdog_step_count, 1);
	assert_int_equal(platform.watchdog_steps[0].address, 0x2a440000);
	assert_true(platform.watchdog_steps[0].write && !platform.watchdog_steps[0].io);
	assert_int_equal(platform.watchdog_steps[0].bytes, 4);
	put(gtdt + 96 + 60 + 24, 4, 4); /* the secure world's watchdog */
	seal_table(gtdt);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.watchdog_step_count, 0);
	put(gtdt + 88, 1, 4);
	seal_table(gtdt);
	assert_int_equal(parse(), 0);
	assert_null(platform.watchdog);
	/* the walk of the structures ends where the table ends, or at an entry of length 0 */
	put(gtdt + 88, 0xffffffff, 4);
	put(gtdt + 92, 96 + 60 + 27, 4);
	seal_table(gtdt);
	assert_int_equal(parse(), 0);
	put(gtdt + 92, 96 + 60 + 3, 4);
	seal_table(gtdt);
	assert_int_equal(parse(), 0);
	assert_null(platform.watchdog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		CASE(watchdogs_are_found_and_whether_one_is_enabled),
		CASE(the_action_reset_defines_how_a_watchdog_is_served),
		CASE(whether_it_counts_is_read_as_its_only_query_says),
		CASE(an_action_that_is_not_understood_is_none),
		CASE(arms_generic_watchdog_is_one_of_its_platform_timers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
