/* SPDX-License-Identifier: MIT */
/* Devices and memory in tables and trees: only an impossible address is reported and left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/platform_check.h"
#include "tests/unit/lib/memory/fake_map.h"

#define HIDDEN 0xfffffffffffff000ULL /* the address that firmware gives for a hidden device */
#define GOOD   0xfed00000ULL
#define PORT   1 /* address space */
#define PL011  3 /* interface type */

/* Invalid device addresses: hidden, beyond the CPU's 40 bits, in RAM, with an end beyond the limit.
 * */
static const uint64_t wrong[] = { HIDDEN, 1ULL << 40, FAKE_RAM, FAKE_RAM - 4, UINT64_MAX };
#define WRONG (sizeof(wrong) / sizeof(wrong[0]))

static struct arch_platform platform;
static char remarks[65536];
static unsigned lines;

__attribute__((format(printf, 1, 2))) static void warn(const char *format, ...)
{
	size_t used = strlen(remarks);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(remarks + used, sizeof(remarks) - used, format, arguments);
	va_end(arguments);
	lines++;
}

static int set_up(void **state)
{
	(void)state;
	memset(&platform, 0, sizeof(platform));
	platform.tables = ARCH_TABLES_ACPI;
	host_address_bits = 40;
	return 0;
}

static void check(unsigned said)
{
	remarks[0] = 0;
	lines = 0;
	platform_check(&platform, warn);
	if (lines != said)
		fail_msg("%u lines, not %u: %s", lines, said, remarks);
}

static void assert_said(const char *text)
{
	if (!strstr(remarks, text))
		fail_msg("not said: %s\nbut: %s", text, remarks);
}

static void correct_or_missing_parts_stay_unchanged(void **state)
{
	struct arch_platform before;

	(void)state;
	check(0); /* of nothing */
	platform.hpet = GOOD;
	platform.pm_timer = 0x608;
	platform.pm_timer_space = PORT;
	platform.ioapics[platform.ioapic_count++] = 0xfec00000;
	platform.gicd = 0x8000000;
	platform.gicc = 0x8010000;
	platform.gic_its = 0x8080000;
	platform.gicr[0].address = 0x80a0000;
	platform.gicr[0].size = 0xf60000;
	platform.gicr[1].address = 0x9000000; /* as in a GICC structure */
	platform.gicr_count = 2;
	platform.ecams[0].address = 0x4010000000;
	platform.ecams[0].last_bus = 0xff;
	platform.ecam_count = 1;
	platform.windows[0] = (struct arch_pci_window){ 0, 0x3eff0000, 0x10000, 0, true };
	platform.window_count = 1;
	platform.reserved[0].size = 0x1000; /* at 0, where RAM begins on some machines */
	platform.reserved[1].address = FAKE_RAM;
	platform.reserved[1].size = 0x100000;
	platform.reserved_count = 2;
	platform.has_uart = true;
	platform.uart = (struct arch_uart_hint){ .space = PORT, .address = 0x3f8 };
	before = platform;
	check(0);
	assert_memory_equal(&before, &platform, sizeof(platform));
}

static void a_device_where_none_can_be_is_left_out(void **state)
{
	uint64_t *const members[] = { &platform.hpet, &platform.gicd, &platform.gicc,
		                      &platform.gic_its };

	(void)state;
	for (unsigned i = 0; i < WRONG; i++) {
		for (unsigned m = 0; m < sizeof(members) / sizeof(members[0]); m++)
			*members[m] = GOOD;
		for (unsigned m = 0; m < sizeof(members) / sizeof(members[0]); m++) {
			*members[m] = wrong[i];
			check(1);
			assert_int_equal(*members[m], 0);
		}
	}
	platform.hpet = HIDDEN;
	check(1);
	assert_string_equal(remarks,
	                    "ACPI: the HPET at 0xfffffffffffff000, 0x400 bytes: the CPU "
	                    "has fewer bits of address: it is left out\n");
}

static void the_pm_timer_is_a_port_or_a_word_of_memory(void **state)
{
	(void)state;
	for (uint8_t space = 0; space <= PORT; space++) {
		platform.pm_timer_space = space;
		platform.pm_timer = HIDDEN;
		check(1);
		assert_int_equal(platform.pm_timer, 0);
		platform.pm_timer = 0xfffd; /* neither a whole port nor a word */
		check(1);
		assert_int_equal(platform.pm_timer, 0);
		platform.pm_timer = 0xfffc;
		check(0);
	}
	assert_int_equal(platform.pm_timer, 0xfffc);
	platform.pm_timer = 0x10000;
	check(1);
}

static void a_wrong_item_of_a_list_leaves_the_other_items(void **state)
{
	(void)state;
	platform.tables = ARCH_TABLES_DEVICETREE;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t address = i == 1 ? HIDDEN : GOOD + i;

		platform.ioapics[i] = i == 1 ? HIDDEN : GOOD + 4 * i;
		platform.gicr[i].address = i == 1 ? FAKE_RAM : GOOD + 4 * i;
		platform.ecams[i].address = i == 1 ? HIDDEN : GOOD + 4 * i;
		platform.windows[i].address = platform.reserved[i].address = address;
		platform.windows[i].size = platform.reserved[i].size = 0x2000;
	}
	platform.ioapic_count = platform.gicr_count = platform.ecam_count = 3;
	platform.window_count = platform.reserved_count = 3;
	check(5);
	assert_said(
	    "device tree: reserved memory at 0xfffffffffffff000, 0x2000 bytes: it wraps "
	    "around the end of the address space: it is left out\n");
	assert_true(platform.ioapic_count == 2 && platform.gicr_count == 2 &&
	            platform.ecam_count == 2 && platform.window_count == 2 &&
	            platform.reserved_count == 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(platform.ioapics[i], GOOD + 8 * i);
		assert_int_equal(platform.gicr[i].address, GOOD + 8 * i);
		assert_int_equal(platform.ecams[i].address, GOOD + 8 * i);
		assert_int_equal(platform.windows[i].address, GOOD + 2 * i);
		assert_int_equal(platform.reserved[i].address, GOOD + 2 * i);
	}
}

static void redistributors_are_an_area_or_one_cpus(void **state)
{
	(void)state;
	platform.gicr[0].address = (1ULL << 40) - 0x10000; /* half of one CPU's frame */
	platform.gicr[1].address = GOOD;
	platform.gicr[1].size = UINT64_MAX;
	platform.gicr[2].address = GOOD;
	platform.gicr[2].size = 1ULL << 39; /* larger than page tables should map */
	platform.gicr[3].address = (1ULL << 40) - 0x20000;
	platform.gicr_count = 4;
	check(3);
	assert_int_equal(platform.gicr_count, 1);
	assert_int_equal(platform.gicr[0].address, (1ULL << 40) - 0x20000);
}

/* The address belongs to bus 0, which need not exist. */
static void configuration_space_is_that_of_its_buses(void **state)
{
	(void)state;
	platform.ecams[0].address = FAKE_RAM - (1U << 20); /* bus 0 is below RAM, bus 1 in RAM */
	platform.ecams[1].address = FAKE_RAM - (1U << 20);
	platform.ecams[1].last_bus = 1;
	platform.ecams[2].first_bus = 0x40;
	platform.ecams[2].last_bus = 0x41;
	platform.ecams[2].address = FAKE_RAM_END - (0x40U << 20); /* its buses begin after RAM */
	platform.ecams[3].address = HIDDEN;
	platform.ecams[3].last_bus = 0xff;
	platform.ecam_count = 4;
	check(2);
	assert_int_equal(platform.ecam_count, 2);
	assert_int_equal(platform.ecams[0].last_bus, 0);
	assert_int_equal(platform.ecams[1].first_bus, 0x40);
}

static void the_first_uart_that_can_be_used_is_the_uart(void **state)
{
	(void)state;
	platform.has_uart = true;
	platform.uart = (struct arch_uart_hint){ .interface_type = PL011, .address = HIDDEN };
	platform.other_uarts[0] =
	    (struct arch_uart_hint){ .interface_type = 0x99, .address = GOOD };
	platform.other_uarts[1] = (struct arch_uart_hint){ .space = PORT, .address = 0x103f8 };
	platform.other_uarts[2] = (struct arch_uart_hint){ .address = FAKE_RAM };
	platform.other_uarts[3] =
	    (struct arch_uart_hint){ .interface_type = PL011, .address = GOOD };
	platform.other_uarts[4] = (struct arch_uart_hint){ .space = PORT, .address = 0x2f8 };
	platform.other_uart_count = 5;
	check(4);
	assert_said("ACPI: a UART at 0xfffffffffffff000, 0x1000 bytes: the CPU has fewer bits");
	assert_said("ACPI: a UART at 0xfed00000 is of type 0x99, which has no driver");
	assert_true(platform.has_uart);
	assert_int_equal(platform.uart.address, GOOD);
	assert_int_equal(platform.uart.interface_type, PL011);
	platform.uart.address = HIDDEN;
	platform.other_uart_count = 3;
	check(4);
	assert_false(platform.has_uart);
}

static void a_watchdog_is_served_by_all_of_its_registers_or_not_at_all(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= 3; i++) {
		set_up(state);
		platform.watchdog = "WDAT";
		platform.watchdog_steps[0] =
		    (struct arch_watchdog_step){ .address = 0x460, .io = true, .bytes = 4 };
		platform.watchdog_steps[1] =
		    (struct arch_watchdog_step){ .address = GOOD + 1, .bytes = 1 };
		platform.watchdog_step_count = 2;
		platform.watchdog_state =
		    (struct arch_watchdog_step){ .address = GOOD, .bytes = 4 };
		if (i == 1)
			platform.watchdog_steps[0].address = 0xfffd;
		if (i == 2)
			platform.watchdog_steps[1].address = FAKE_RAM;
		if (i == 3)
			platform.watchdog_state.address = HIDDEN;
		check(i != 0);
		assert_int_equal(platform.watchdog_step_count, i ? 0 : 2);
		assert_int_equal(platform.watchdog_state.bytes, i ? 0 : 4);
		assert_non_null(platform.watchdog);
	}
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, set_up)
	const struct CMUnitTest tests[] = {
		CASE(correct_or_missing_parts_stay_unchanged),
		CASE(a_device_where_none_can_be_is_left_out),
		CASE(the_pm_timer_is_a_port_or_a_word_of_memory),
		CASE(a_wrong_item_of_a_list_leaves_the_other_items),
		CASE(redistributors_are_an_area_or_one_cpus),
		CASE(configuration_space_is_that_of_its_buses),
		CASE(the_first_uart_that_can_be_used_is_the_uart),
		CASE(a_watchdog_is_served_by_all_of_its_registers_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
