/* SPDX-License-Identifier: MIT */
/* The addresses for which an ELF file was linked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host-tools/report/symbols/link_address.h"

static struct link_segment segments[] = {
	{ .offset = 0, .address = 0x10000, .size = 0x200 },
	{ .offset = 0x1000, .address = 0x21040, .size = 0x100, .is_code = true },
	{ .offset = 0x2000, .address = 0x34000, .size = 0x10, .is_code = true },
};
static const struct link_map map = { segments, 3 };

static void an_offset_has_its_segments_address(void **state)
{
	uint64_t address = 7;

	(void)state;
	assert_true(link_address(&map, 0x1ff, &address));
	assert_int_equal(address, 0x101ff);
	assert_true(link_address(&map, 0x1000, &address));
	assert_int_equal(address, 0x21040);
	assert_true(link_address(&map, 0x10ff, &address));
	assert_int_equal(address, 0x2113f);
}

static void an_offset_between_segments_has_none(void **state)
{
	uint64_t address = 7;

	(void)state;
	assert_false(link_address(&map, 0x200, &address));
	assert_false(link_address(&map, 0xfff, &address));
	assert_false(link_address(&map, 0x1100, &address));
	assert_false(link_address(&map, UINT64_MAX, &address));
	assert_int_equal(address, 7);
}

static void the_code_begins_with_the_first_executable_segments_page(void **state)
{
	const struct link_map data = { segments, 1 };

	(void)state;
	assert_int_equal(link_map_code(&map), 0x21000);
	assert_int_equal(link_map_code(&data), 0);
}

static void a_programs_segments_are_read_and_another_file_is_refused(void **state)
{
	struct link_map self = { 0 }, other = { 0 };
	uint64_t address;

	(void)state;
	assert_true(link_map_load(&self, "/proc/self/exe"));
	assert_true(self.count >= 2);
	assert_true(link_address(&self, 0, &address)); /* the ELF header is loaded */
	assert_true(link_map_code(&self) >= address);
	link_map_free(&self);
	assert_false(link_map_load(&other, "/proc/self/cmdline"));
	assert_false(link_map_load(&other, "/nowhere"));
	link_map_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offset_has_its_segments_address),
		cmocka_unit_test(an_offset_between_segments_has_none),
		cmocka_unit_test(the_code_begins_with_the_first_executable_segments_page),
		cmocka_unit_test(a_programs_segments_are_read_and_another_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
