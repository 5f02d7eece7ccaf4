/* SPDX-License-Identifier: MIT */
/* The stack in a firmware's hand-off blocks, and malformed lists of blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/parse/hob.h"

#define HANDOFF 1
#define MEMORY  2
#define UNUSED  0xfffe
#define END     0xffff

static uint8_t list[256];
static uint16_t used;

static void add(uint16_t type, uint16_t length)
{
	memset(list + used, 0, length);
	memcpy(list + used, &type, 2);
	memcpy(list + used + 2, &length, 2);
	used = (uint16_t)(used + length);
}

static void add_memory(const uint8_t name[16], uint64_t base, uint64_t size)
{
	uint8_t *at = list + used;

	add(MEMORY, 48);
	memcpy(at + 8, name, 16);
	memcpy(at + 24, &base, 8);
	memcpy(at + 32, &size, 8);
}

static const uint8_t other[16] = { 1 };
static const uint8_t stack[16] = { 0x27, 0xbf, 0xd4, 0x4e, 0x92, 0x40, 0xe9, 0x42,
	                           0x80, 0x7d, 0x52, 0x7b, 0x1d, 0x00, 0xc9, 0xbd };

static int set_up(void **state)
{
	(void)state;
	used = 0;
	add(HANDOFF, 56);
	add_memory(other, 0x1000, 0x1000);
	add(UNUSED, 8);
	add_memory(stack, 0x7e000000, 0x20000);
	add(END, 8);
	return 0;
}

static void the_stack_is_the_memory_of_that_name(void **state)
{
	uint64_t low, high;

	(void)state;
	assert_true(hob_stack(list, sizeof(list), &low, &high));
	assert_int_equal(low, 0x7e000000);
	assert_int_equal(high, 0x7e020000);
}

/* In memory of its own, so that a read beyond its end is detected. */
static void a_list_that_is_cut_short_has_none(void **state)
{
	uint64_t low, high;

	(void)state;
	for (size_t size = 0; size < used - 8U; size++) {
		uint8_t *cut = malloc(size ? size : 1);

		memcpy(cut, list, size);
		assert_false(hob_stack(cut, size, &low, &high));
		free(cut);
	}
}

static void bytes_after_the_end_are_ignored(void **state)
{
	uint64_t low, high;

	(void)state;
	used = 56;
	add(END, 8);
	add_memory(stack, 0x7e000000, 0x20000);
	assert_false(hob_stack(list, sizeof(list), &low, &high));
}

static void damaged_lists_come_to_an_end(void **state)
{
	static const uint16_t lengths[] = { 0, 4, 7, 0xffff };
	uint64_t low, high;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		set_up(NULL);
		memcpy(list + 56 + 2, &lengths[i], 2);
		assert_false(hob_stack(list, sizeof(list), &low, &high));
	}
	set_up(NULL);
	list[0] = MEMORY; /* no list begins like this */
	assert_false(hob_stack(list, sizeof(list), &low, &high));
}

static void a_stack_beyond_all_memory_is_none(void **state)
{
	uint64_t low, high;

	(void)state;
	used = 56;
	add_memory(stack, UINT64_MAX - 15, 0x20000);
	add(END, 8);
	assert_false(hob_stack(list, sizeof(list), &low, &high));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_stack_is_the_memory_of_that_name, set_up),
		cmocka_unit_test_setup(a_list_that_is_cut_short_has_none, set_up),
		cmocka_unit_test_setup(bytes_after_the_end_are_ignored, set_up),
		cmocka_unit_test_setup(damaged_lists_come_to_an_end, set_up),
		cmocka_unit_test_setup(a_stack_beyond_all_memory_is_none, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
