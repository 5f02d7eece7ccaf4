/* SPDX-License-Identifier: MIT */
/* The variable that names recordings in RAM may have any content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/volume/kept.h"
#include "lib/console/console.h"
#include "lib/memory/memory.h"
#include "tests/unit/lib/efi/fake_firmware.h"
#include "tests/unit/lib/memory/fake_map.h"

#define MIB (1ULL << 20)

static const CHAR16 name[] = L"BareperfKept";
static unsigned lines;

void console_printf(const char *format, ...)
{
	(void)format;
	lines++;
}

void memory_let_go(uint64_t address, uint64_t size)
{
	(void)address;
	(void)size;
}

static int set_up(void **state)
{
	(void)state;
	fake_firmware_begin();
	lines = 0;
	return 0;
}

static void added_regions_are_listed(void **state)
{
	struct kept list[KEPT_MAX];

	(void)state;
	assert_int_equal(kept_list(list), 0);
	assert_int_equal(kept_add(FAKE_RAM + 2 * MIB, 16 * MIB, true), 0);
	assert_int_equal(kept_add(FAKE_RAM + 32 * MIB, 4096, false), 0);
	assert_int_equal(kept_list(list), 2);
	assert_int_equal(list[0].address, FAKE_RAM + 2 * MIB);
	assert_int_equal(list[0].size, 16 * MIB);
	assert_true(list[0].is_found && !list[1].is_found);
	assert_int_equal(lines, 0);
}

static void an_entry_outside_memory_is_reported_once_and_removed(void **state)
{
	static const struct kept wrong[] = {
		{ 0xffffffffffe00000, 0x200000, 1 },
		{ FAKE_RAM, UINT64_MAX - 4095, 1 },
		{ FAKE_RAM + 4096, 4096, 1 }, /* unaligned: an atomic access to it may fault */
		{ FAKE_RAM + 1, 4096, 1 },
		{ FAKE_RAM, 0, 1 },
		{ FAKE_RAM, 4097, 1 },
		{ FAKE_RAM_END - 2 * MIB, 2 * MIB + 4096, 1 },
		{ FAKE_RAM_END, 2 * MIB, 1 },
		{ 0, 2 * MIB, 1 },
	};
	const unsigned count = sizeof(wrong) / sizeof(wrong[0]);
	struct kept list[KEPT_MAX], bytes[KEPT_MAX];
	UINTN size;

	(void)state;
	memcpy(bytes, wrong, sizeof(wrong));
	bytes[count] = (struct kept){ FAKE_RAM_END - 2 * MIB, 2 * MIB, 1 };
	fake_set_variable(name, bytes, (count + 1) * sizeof(*bytes));
	assert_int_equal(kept_list(list), 1);
	assert_int_equal(list[0].address, FAKE_RAM_END - 2 * MIB);
	assert_int_equal(lines, count);
	fake_variable(name, &size);
	assert_int_equal(size, sizeof(*list));
	assert_int_equal(kept_list(list), 1);
	assert_int_equal(lines, count);
}

static void an_entry_that_is_cut_off_is_none(void **state)
{
	struct kept list[KEPT_MAX], one = { FAKE_RAM, 2 * MIB, 1 };

	(void)state;
	fake_set_variable(name, &one, sizeof(one) - 1);
	assert_int_equal(kept_list(list), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(added_regions_are_listed, set_up),
		cmocka_unit_test_setup(an_entry_outside_memory_is_reported_once_and_removed,
		                       set_up),
		cmocka_unit_test_setup(an_entry_that_is_cut_off_is_none, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
