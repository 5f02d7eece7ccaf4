/* SPDX-License-Identifier: MIT */
/* ACPI tables as foreign bytes: a small physical memory is built, damaged, and parsed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/lib/acpi/acpi_rig.h"

static uint32_t add_madt(uint32_t entries_size)
{
	return add_table("APIC", 44 + entries_size);
}

static void the_cpus_of_a_pc_are_found(void **state)
{
	uint32_t madt = add_madt(8 + 8 + 8 + 16 + 16 + 12);
	uint32_t at = madt + 44;

	(void)state;
	for (unsigned i = 0; i < 3; i++, at += 8) { /* local APICs 0, 2, 4; 2 is disabled */
		put(at, 0x0800, 2);
		put(at + 3, 2 * i, 1);
		put(at + 4, i != 1, 4);
	}
	put(at, 0x1009, 2); /* x2APIC 300 */
	put(at + 4, 300, 4);
	put(at + 8, 1, 4);
	put(at + 16, 0x1009, 2); /* and 4 again */
	put(at + 20, 4, 4);
	put(at + 24, 1, 4);
	put(at + 32, 0x0c01, 2); /* I/O APIC */
	put(at + 36, 0xfec00000, 4);
	seal_table(madt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(warnings, 0);
	assert_int_equal(platform.cpu_count, 3);
	assert_int_equal(platform.cpus[0].hw_id, 0);
	assert_int_equal(platform.cpus[1].hw_id, 4);
	assert_int_equal(platform.cpus[2].hw_id, 300);
	assert_int_equal(platform.ioapic_count, 1);
	assert_int_equal(platform.ioapics[0], 0xfec00000);
}

static void more_cpus_than_we_hold_are_left_out(void **state)
{
	uint32_t madt = add_madt(300 * 16);

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		put(madt + 44 + 16 * i, 0x1009, 2);
		put(madt + 44 + 16 * i + 4, i, 4);
		put(madt + 44 + 16 * i + 8, 1, 4);
	}
	seal_table(madt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpu_count, ARCH_MAX_CPUS);
}

static void the_gic_and_its_cpus_are_found(void **state)
{
	uint32_t madt = add_madt(80 + 80 + 24 + 16 + 20);
	uint32_t at = madt + 44;

	(void)state;
	put(at, 0x500b, 2); /* GICC of 80 bytes */
	put(at + 12, 1, 4);
	put(at + 20, 23, 4);
	put(at + 32, 0x8010000, 8);
	put(at + 68, 0x80000100, 8);
	put(at + 78, 21, 2);
	at += 80;
	put(at, 0x500b, 2); /* another CPU's, whose PMU interrupt is edge-triggered */
	put(at + 12, 3, 4);
	put(at + 20, 24, 4);
	put(at + 68, 0x80000200, 8);
	at += 80;
	put(at, 0x180c, 2); /* GICD */
	put(at + 8, 0x8000000, 8);
	put(at + 20, 3, 1);
	at += 24;
	put(at, 0x100e, 2); /* GICR */
	put(at + 4, 0x80a0000, 8);
	put(at + 12, 0xf60000, 4);
	at += 16;
	put(at, 0x140f, 2); /* ITS */
	put(at + 8, 0x8080000, 8);
	seal_table(madt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpu_count, 2);
	assert_int_equal(platform.cpus[0].hw_id, 0x80000100);
	assert_int_equal(platform.cpus[0].pmu_interrupt, 23);
	assert_false(platform.cpus[0].pmu_edge);
	assert_int_equal(platform.cpus[1].pmu_interrupt, 24);
	assert_true(platform.cpus[1].pmu_edge);
	assert_int_equal(platform.spe_interrupt, 21);
	assert_int_equal(platform.gicc, 0x8010000);
	assert_int_equal(platform.gicd, 0x8000000);
	assert_int_equal(platform.gic_version, 3);
	assert_int_equal(platform.gicr_count, 1);
	assert_int_equal(platform.gicr[0].address, 0x80a0000);
	assert_int_equal(platform.gicr[0].size, 0xf60000);
	assert_int_equal(platform.gic_its, 0x8080000);
}

static uint32_t add_fadt(uint32_t size)
{
	uint32_t fadt = add_table("FACP", size);

	put(fadt + 76, 0x608, 4);
	put(fadt + 91, 4, 1);
	put(fadt + 112, 1U << 8, 4);
	return fadt;
}

static void the_pm_timer_is_found_in_old_and_new_tables(void **state)
{
	uint32_t fadt = add_fadt(116);

	(void)state;
	seal_table(fadt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.pm_timer, 0x608);
	assert_int_equal(platform.pm_timer_space, 1);
	assert_int_equal(platform.pm_timer_bits, 32);
	assert_false(platform.psci || platform.is_qemu);

	fadt = add_fadt(244);
	put_name(fadt + 10, "BOCHS ");
	put(fadt + 112, 0, 4);
	put(fadt + 129, 3, 2);
	put(fadt + 208, 0, 1); /* memory */
	put(fadt + 212, 0xfed81000, 8);
	seal_table(fadt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.pm_timer, 0xfed81000);
	assert_int_equal(platform.pm_timer_space, 0);
	assert_int_equal(platform.pm_timer_bits, 24);
	assert_true(platform.psci && platform.psci_hvc && platform.is_qemu);
}

static void hpet_and_arms_timers_are_found(void **state)
{
	uint32_t hpet = add_table("HPET", 56), gtdt = add_table("GTDT", 96);

	(void)state;
	put(hpet + 44, 0xfed00000, 8);
	seal_table(hpet);
	put(gtdt + 56, 30, 4);
	put(gtdt + 64, 27, 4);
	put(gtdt + 72, 26, 4);
	seal_table(gtdt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.hpet, 0xfed00000);
	assert_int_equal(platform.timer_el1_interrupt, 30);
	assert_int_equal(platform.timer_virtual_interrupt, 27);
	assert_int_equal(platform.timer_el2_interrupt, 26);
}

static void configuration_space_is_found_of_each_host_bridge(void **state)
{
	uint32_t mcfg = add_table("MCFG", 44 + 3 * 16 + 15); /* the last one is cut off */

	(void)state;
	put(mcfg + 44, 0xb0000000, 8);
	put(mcfg + 44 + 11, 0xff, 1);
	/* a range of buses that ends before it begins, without an address */
	put(mcfg + 60 + 10, 1, 1);
	put(mcfg + 76, 0x4010000000, 8);
	put(mcfg + 76 + 8, 1, 2);
	put(mcfg + 76 + 10, 0x40, 1);
	put(mcfg + 76 + 11, 0x40, 1);
	put(mcfg + 92, 0xdead0000, 8);
	seal_table(mcfg);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.ecam_count, 2);
	assert_int_equal(platform.ecams[0].address, 0xb0000000);
	assert_int_equal(platform.ecams[0].last_bus - platform.ecams[0].first_bus, 0xff);
	assert_int_equal(platform.ecams[1].address, 0x4010000000);
	assert_int_equal(platform.ecams[1].segment, 1);
	assert_true(platform.ecams[1].first_bus == 0x40 && platform.ecams[1].last_bus == 0x40);
}

static void add_spcr(void)
{
	uint32_t spcr = add_table("SPCR", 80);

	put(spcr + 36, 3, 1);
	put(spcr + 40, 0x03002000, 4); /* memory, 32 bits wide, 32-bit accesses */
	put(spcr + 44, 0x9000000, 8);
	seal_table(spcr);
}

static uint32_t add_dbg2(void)
{
	uint32_t dbg2 = add_table("DBG2", 44 + 40);
	uint32_t device = dbg2 + 44;

	put(dbg2 + 36, 44, 4);
	put(dbg2 + 40, 1, 4);
	put(device + 1, 40, 2);
	put(device + 3, 1, 1);
	put(device + 12, 0x8000, 2);
	put(device + 14, 0, 2);
	put(device + 18, 22, 2);
	put(device + 22, 0x01000801, 4); /* I/O port, 8 bits, bytes */
	put(device + 26, 0x2f8, 8);
	seal_table(dbg2);
	return dbg2;
}

static void a_debug_port_is_the_uart_where_there_is_no_console(void **state)
{
	(void)state;
	add_dbg2();
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_true(platform.has_uart);
	assert_int_equal(platform.uart.space, 1);
	assert_int_equal(platform.uart.address, 0x2f8);
	assert_int_equal(platform.uart.access_size, 1);
	assert_int_equal(platform.uart.reg_shift, 0);
}

static void the_console_wins_over_the_debug_port_in_either_order(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		used = REST;
		entries = 0;
		memset(memory, 0, SIZE);
		if (order == 0)
			add_spcr();
		add_dbg2();
		if (order == 1)
			add_spcr();
		seal_roots();
		assert_int_equal(parse(), 0);
		assert_true(platform.has_uart);
		assert_int_equal(platform.uart.interface_type, 3);
		assert_int_equal(platform.uart.address, 0x9000000);
		assert_int_equal(platform.uart.access_size, 4);
		assert_int_equal(platform.uart.reg_shift, 2);
		/* in case the first one is hidden */
		assert_int_equal(platform.other_uart_count, 1);
		assert_int_equal(platform.other_uarts[0].address, 0x2f8);
	}
}

/* Devices of 40 bytes; the last ones exceed the limit. */
static void further_debug_ports_are_kept_in_their_order(void **state)
{
	uint32_t dbg2 = add_table("DBG2", 44 + 12 * 40);

	(void)state;
	put(dbg2 + 36, 44, 4);
	put(dbg2 + 40, 12, 4);
	for (unsigned i = 0; i < 12; i++) {
		uint32_t device = dbg2 + 44 + 40 * i;

		put(device + 1, 40, 2);
		put(device + 3, 1, 1);
		put(device + 12, i == 2 ? 0x8001 : 0x8000, 2); /* one is a FireWire port */
		put(device + 18, 22, 2);
		put(device + 22, i == 3 ? 2 : 0, 1); /* one is in configuration space */
		put(device + 26, 0xfed00000 + 4096 * i, 8);
	}
	seal_table(dbg2);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_true(platform.has_uart);
	assert_int_equal(platform.uart.address, 0xfed00000);
	assert_int_equal(platform.other_uart_count, ARCH_MAX_OTHER_UARTS);
	assert_int_equal(platform.other_uarts[0].address, 0xfed01000);
	assert_int_equal(platform.other_uarts[1].address, 0xfed04000);
	assert_int_equal(platform.other_uarts[7].address, 0xfed0a000);
}

static void the_consoles_rate_comes_from_its_table(void **state)
{
	static const struct {
		uint32_t size; /* of the table */
		uint8_t code;
		uint32_t precise, clock, baud;
	} cases[] = {
		{ 80, 0, 0, 0, 0 },   { 80, 7, 0, 0, 115200 },         { 80, 3, 0, 0, 9600 },
		{ 80, 200, 0, 0, 0 }, { 88, 0, 1500000, 48, 1500000 }, { 88, 7, 0, 24, 115200 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t spcr;

		used = REST;
		entries = 0;
		memset(memory, 0, SIZE);
		spcr = add_table("SPCR", cases[i].size);
		put(spcr + 36, 3, 1);
		put(spcr + 40, 0x03002000, 4);
		put(spcr + 44, 0x9000000, 8);
		put(spcr + 58, cases[i].code, 1);
		put(spcr + 76, cases[i].clock, 4);
		if (cases[i].size > 80)
			put(spcr + 80, cases[i].precise, 4);
		seal_table(spcr);
		seal_roots();
		assert_int_equal(parse(), 0);
		assert_int_equal(platform.uart.baud, cases[i].baud);
		assert_int_equal(platform.uart.clock, cases[i].clock);
	}
}

static void a_machine_of_acpi_1_has_an_rsdt(void **state)
{
	uint32_t fadt = add_fadt(116);

	(void)state;
	seal_table(fadt);
	seal_roots();
	memory[64 + 15] = 0;
	seal(64, 20, 64 + 8);
	put(XSDT, 0, 4); /* not read */
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.pm_timer, 0x608);
	assert_int_equal(warnings, 0);
}

static void a_broken_xsdt_falls_back_to_the_rsdt(void **state)
{
	uint32_t fadt = add_fadt(116);

	(void)state;
	seal_table(fadt);
	seal_roots();
	memory[XSDT + 20] ^= 1;
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.pm_timer, 0x608);
	assert_int_equal(warnings, 1);
}

static void a_table_with_a_wrong_checksum_is_left_out(void **state)
{
	uint32_t fadt = add_fadt(116);

	(void)state;
	seal_table(fadt);
	memory[fadt + 76] ^= 4;
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.pm_timer, 0);
	assert_int_equal(warnings, 1);
}

static void a_table_that_lies_in_no_memory_is_reported(void **state)
{
	uint32_t fadt = add_fadt(116);

	(void)state;
	seal_table(fadt);
	put(XSDT + 36 + 8 * entries++, 0xfffffffffffff000, 8);
	put(XSDT + 36 + 8 * entries++, 0, 8); /* an empty entry of the XSDT */
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.pm_timer, 0x608);
	assert_int_equal(warnings, 1);
}

static void lengths_that_are_wrong_are_refused(void **state)
{
	static const uint32_t lengths[] = { 0, 35, SIZE, 0x01000001, UINT32_MAX };
	uint32_t fadt = add_fadt(116);

	(void)state;
	seal_roots();
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put(fadt + 4, lengths[i], 4);
		warnings = 0;
		assert_int_equal(parse(), 0);
		assert_int_equal(platform.pm_timer, 0);
		assert_int_equal(warnings, 1);
	}
	put(fadt + 4, 40, 4); /* a valid type, but too short for its fields */
	seal_table(fadt);
	warnings = 0;
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.pm_timer, 0);
	assert_int_equal(warnings, 1);
}

static void a_madt_entry_of_length_0_ends_the_list(void **state)
{
	uint32_t madt = add_madt(24);

	(void)state;
	put(madt + 44, 0x0800, 2);
	put(madt + 48, 1, 4);
	put(madt + 52, 0x0000, 2); /* length 0 would repeat for ever */
	seal_table(madt);
	seal_roots();
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpu_count, 1);
}

static void no_rsdp_is_said(void **state)
{
	(void)state;
	assert_int_equal(parse(), -ENOENT);
	assert_int_equal(parse_at(0), -ENOENT);
	assert_int_equal(parse_at(UINT64_MAX - 4), -ENOENT);
	seal_roots();
	memory[64 + 10] ^= 1;
	assert_int_equal(parse(), -ENOENT);
	assert_int_equal(warnings, 4);
}

/* All tables, then random bytes damaged and checksums corrected, so that the parsers read them. */
static void bent_tables_never_do_harm(void **state)
{
	uint32_t tables[7];
	uint8_t *good = malloc(SIZE);

	(void)state;
	tables[0] = add_madt(200);
	tables[1] = add_fadt(244);
	tables[2] = add_table("HPET", 56);
	tables[3] = add_table("GTDT", 96 + 60);
	put(tables[3] + 88, 2, 4);
	put(tables[3] + 92, 96, 4);
	put(tables[3] + 97, 28, 2);
	add_spcr();
	tables[4] = add_dbg2();
	tables[5] = add_table("WDAT", 68 + 24);
	put(tables[5] + 64, 1, 4);
	put(tables[5] + 68, 1, 1);
	tables[6] = tables[4];
	for (uint32_t at = tables[0] + 44; at < tables[0] + 244; at += 8)
		put(at, 0x0800, 2);
	seal_roots();
	memcpy(good, memory, SIZE);
	srandom(1);
	for (int round = 0; round < 100000; round++) {
		uint32_t table = tables[random() % 7], size;

		memcpy(memory, good, SIZE);
		memcpy(&size, memory + table + 4, 4);
		for (long bends = random() % 8; bends >= 0; bends--)
			memory[table + 36 + (uint32_t)random() % (size - 36)] = (uint8_t)random();
		seal_table(table);
		assert_int_equal(parse(), 0);
		assert_true(platform.cpu_count <= ARCH_MAX_CPUS);
		assert_true(platform.gicr_count <= ARCH_MAX_GICR_AREAS);
		assert_true(platform.ioapic_count <= ARCH_MAX_IOAPICS);
		assert_true(platform.ecam_count <= ARCH_MAX_ECAMS);
	}
	free(good);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(the_cpus_of_a_pc_are_found),
		CASE(more_cpus_than_we_hold_are_left_out),
		CASE(the_gic_and_its_cpus_are_found),
		CASE(the_pm_timer_is_found_in_old_and_new_tables),
		CASE(hpet_and_arms_timers_are_found),
		CASE(configuration_space_is_found_of_each_host_bridge),
		CASE(a_debug_port_is_the_uart_where_there_is_no_console),
		CASE(the_consoles_rate_comes_from_its_table),
		CASE(the_console_wins_over_the_debug_port_in_either_order),
		CASE(further_debug_ports_are_kept_in_their_order),
		CASE(a_machine_of_acpi_1_has_an_rsdt),
		CASE(a_broken_xsdt_falls_back_to_the_rsdt),
		CASE(a_table_with_a_wrong_checksum_is_left_out),
		CASE(a_table_that_lies_in_no_memory_is_reported),
		CASE(lengths_that_are_wrong_are_refused),
		CASE(a_madt_entry_of_length_0_ends_the_list),
		CASE(no_rsdp_is_said),
		CASE(bent_tables_never_do_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
