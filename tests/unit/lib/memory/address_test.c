/* SPDX-License-Identifier: MIT */
/* Addresses and lengths from firmware, compared with the CPU's width, their ends, and RAM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/memory/address.h"
#include "tests/unit/lib/memory/fake_map.h"

#define PAGE 4096ULL

static void assert_use(bool usable, uint64_t address, uint64_t size, enum address_use use)
{
	const char *why = address_refusal(address, size, use);

	if (usable != !why)
		fail_msg("0x%lx, 0x%lx bytes, use %d: %s", address, size, use, why ? why : "taken");
}

static void a_range_that_wraps_is_refused_for_any_use(void **state)
{
	(void)state;
	for (enum address_use use = ADDRESS_ANY; use <= ADDRESS_PORTS; use++) {
		assert_use(false, UINT64_MAX - PAGE + 1, PAGE, use);
		assert_use(false, UINT64_MAX - PAGE + 1, PAGE + 1, use);
		assert_use(false, UINT64_MAX, 2, use);
		assert_use(false, PAGE, UINT64_MAX, use);
		assert_use(false, FAKE_RAM, 0, use);
	}
}

static void a_range_beyond_the_cpus_width_is_refused(void **state)
{
	(void)state;
	for (host_address_bits = 32; host_address_bits <= 56; host_address_bits++) {
		uint64_t end = 1ULL << host_address_bits;

		for (enum address_use use = ADDRESS_ANY; use <= ADDRESS_REGISTERS; use++) {
			assert_use(true, end - PAGE, PAGE, use);
			assert_use(false, end - PAGE, PAGE + 4, use);
			assert_use(false, end, 4, use);
		}
		assert_use(false, end - PAGE, PAGE, ADDRESS_MEMORY);
	}
	host_address_bits = 48;
}

static void nothing_but_memory_begins_at_0(void **state)
{
	(void)state;
	assert_use(true, 0, PAGE, ADDRESS_ANY);
	assert_use(true, 0, PAGE, ADDRESS_PORTS);
	assert_use(false, 0, PAGE, ADDRESS_DEVICE);
	assert_use(false, 0, PAGE, ADDRESS_REGISTERS);
	assert_use(false, 0, PAGE, ADDRESS_MEMORY);
}

static void devices_are_not_in_ram_and_memory_is(void **state)
{
	static const struct {
		uint64_t address, size;
		bool device, memory;
	} cases[] = {
		{ FAKE_RAM - PAGE, PAGE, true, false },
		{ FAKE_RAM - PAGE, PAGE + 4, false, false },
		{ FAKE_RAM, PAGE, false, true },
		{ FAKE_RAM_END - PAGE, PAGE, false, true },
		{ FAKE_RAM_END - PAGE, PAGE + 4, false, false },
		{ FAKE_RAM_END, PAGE, true, false },
		{ FAKE_RAM - PAGE, FAKE_RAM, false, false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_use(cases[i].device, cases[i].address, cases[i].size, ADDRESS_DEVICE);
		assert_use(cases[i].memory, cases[i].address, cases[i].size, ADDRESS_MEMORY);
		assert_use(true, cases[i].address, cases[i].size, ADDRESS_ANY);
	}
}

static void registers_are_words_and_bounded(void **state)
{
	(void)state;
	for (unsigned odd = 1; odd < 4; odd++) {
		assert_use(false, FAKE_RAM_END + odd, 4, ADDRESS_REGISTERS);
		assert_use(true, FAKE_RAM_END + odd, 4, ADDRESS_DEVICE);
	}
	assert_use(true, FAKE_RAM_END, 1U << 30, ADDRESS_REGISTERS);
	assert_use(false, FAKE_RAM_END, (1U << 30) + 1, ADDRESS_REGISTERS);
	assert_use(true, FAKE_RAM_END, (1U << 30) + 1, ADDRESS_DEVICE);
}

static void ports_are_65536(void **state)
{
	(void)state;
	assert_use(true, 0xfff8, 8, ADDRESS_PORTS);
	assert_use(false, 0xfff9, 8, ADDRESS_PORTS);
	assert_use(true, 0, 0x10000, ADDRESS_PORTS);
	assert_use(false, 0, 0x10001, ADDRESS_PORTS);
	assert_use(false, 0x10000, 1, ADDRESS_PORTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_that_wraps_is_refused_for_any_use),
		cmocka_unit_test(a_range_beyond_the_cpus_width_is_refused),
		cmocka_unit_test(nothing_but_memory_begins_at_0),
		cmocka_unit_test(devices_are_not_in_ram_and_memory_is),
		cmocka_unit_test(registers_are_words_and_bounded),
		cmocka_unit_test(ports_are_65536),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
