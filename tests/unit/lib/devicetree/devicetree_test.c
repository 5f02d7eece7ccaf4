/* SPDX-License-Identifier: MIT */
/* Device trees of boards that we do not have, changed ones, and foreign bytes with a tree's magic.
 * tests/unit/lib/trees/ has them as text, which a test may change before dtc compiles it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/guarded.h"
#include "tests/unit/lib/devicetree/devicetree_rig.h"

#define SEEDS 2000U

/* ---- Boards ---- */

static void a_board_like_a_raspberry_pi_4_is_described(void **state)
{
	(void)state;
	load("pi4", NULL);
	assert_int_equal(parse(), 0);
	assert_string_equal(remarks, "");
	assert_int_equal(platform.cpu_count, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(platform.cpus[i].hw_id, i);
		assert_int_equal(platform.cpus[i].pmu_interrupt, 48 + i);
		assert_false(platform.cpus[i].pmu_edge);
	}
	assert_true(platform.psci);
	assert_false(platform.psci_hvc || platform.is_qemu);
	assert_int_equal(platform.gic_version, 2);
	assert_int_equal(platform.gicd, 0xff841000);
	assert_int_equal(platform.gicc, 0xff842000);
	assert_int_equal(platform.gicr_count, 0);
	assert_int_equal(platform.timer_el1_interrupt, 30);
	assert_int_equal(platform.timer_virtual_interrupt, 27);
	assert_int_equal(platform.timer_el2_interrupt, 26);
	assert_int_equal(platform.spe_interrupt, 0);
	assert_true(platform.has_uart);
	assert_int_equal(platform.uart.interface_type, 3);
	assert_int_equal(platform.uart.address, 0xfe201000);
	assert_int_equal(platform.uart.baud, 115200);
	assert_int_equal(platform.ecam_count, 0);
}

static void a_gicv3_with_several_redistributor_regions_is_described(void **state)
{
	(void)state;
	load("server", NULL);
	assert_int_equal(parse(), 0);
	assert_string_equal(remarks, "");
	assert_int_equal(platform.gic_version, 3);
	assert_int_equal(platform.gicd, 0xfd400000);
	assert_int_equal(platform.gicr_count, 3);
	assert_int_equal(platform.gicr[0].address, 0xfd460000);
	assert_int_equal(platform.gicr[0].size, 0xc0000);
	assert_int_equal(platform.gicr[1].address, 0xfd600000);
	assert_int_equal(platform.gicr[2].address, 0x2000000000);
	assert_int_equal(platform.gicr[2].size, 0x40000);
	assert_int_equal(platform.gicr_stride, 0x40000);
	assert_int_equal(platform.gic_its, 0xfd440000);
	assert_int_equal(platform.timer_el1_interrupt, 30);
	assert_int_equal(platform.timer_virtual_interrupt, 27);
	assert_int_equal(platform.timer_el2_interrupt, 26);
	assert_int_equal(platform.spe_interrupt, 21);
	assert_true(platform.psci && platform.psci_hvc);
}

static void qemus_own_tree_is_known(void **state)
{
	(void)state;
	LOAD("server", "interrupt-parent = <&gic>;",
	     "interrupt-parent = <&gic>; compatible = \"linux,dummy-virt\";");
	assert_int_equal(parse(), 0);
	assert_true(platform.is_qemu);
}

static void regions_that_are_missing_are_reported(void **state)
{
	(void)state;
	LOAD("server", "#redistributor-regions = <3>", "#redistributor-regions = <5>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.gicr_count, 3);
	assert_remark("device tree: /interrupt-controller@fd400000: reg: it lacks regions");
	LOAD("server", "<0x0 0x40000>;", "<0x0 0x41000>;");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.gicr_stride, 0);
	assert_remark("redistributor-stride: no multiple of 64 KiB");
}

/* ---- CPUs ---- */

static void failed_cpus_are_left_out_and_disabled_ones_wait(void **state)
{
	(void)state;
	load("server", NULL);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpu_count, 3);
	assert_int_equal(platform.cpus[1].hw_id, 0x100);
	assert_int_equal(platform.cpus[2].hw_id, 0x100000000);
}

static void a_spin_table_starts_no_cpu_but_the_boot_cpu_is_listed(void **state)
{
	(void)state;
	LOAD("pi4", "reg = <1>; enable-method = \"psci\"",
	     "reg = <1>; enable-method = \"spin-table\"", "reg = <2>; enable-method = \"psci\"",
	     "reg = <2>; enable-method = \"spin-table\"");
	boot_cpu = 2;
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpu_count, 3);
	assert_int_equal(platform.cpus[1].hw_id, 2);
	assert_int_equal(platform.cpus[1].pmu_interrupt, 50);
	assert_int_equal(platform.cpus[2].hw_id, 3);
	assert_int_equal(platform.cpus[2].pmu_interrupt, 51);
	assert_remark("device tree: /cpus/cpu@1: enable-method: it is not psci");
	assert_null(strstr(remarks, "cpu@2"));
}

static void without_psci_there_is_the_boot_cpu_alone(void **state)
{
	static const struct {
		const char *from, *to, *remark;
	} cases[] = {
		{ "\"arm,psci-1.0\", \"arm,psci-0.2\"", "\"arm,psci\"",
		  "device tree: /psci: compatible: PSCI 0.1 is too old" },
		{ "method = \"smc\"", "method = \"call\"",
		  "device tree: /psci: method: neither smc nor hvc" },
		{ "psci {\n", "psci {\n status = \"disabled\";\n",
		  "device tree: /psci: it is missing or unusable, so 3 CPUs stay off" },
	};

	(void)state;
	boot_cpu = 3;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		LOAD("pi4", cases[i].from, cases[i].to);
		assert_int_equal(parse(), 0);
		assert_false(platform.psci);
		assert_int_equal(platform.cpu_count, 1);
		assert_int_equal(platform.cpus[0].hw_id, 3);
		assert_int_equal(platform.cpus[0].pmu_interrupt, 51);
		assert_remark(cases[i].remark);
	}
}

static void cpus_that_do_not_say_which_they_are_are_reported(void **state)
{
	(void)state;
	LOAD("pi4", "reg = <2>; ", "");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpu_count, 3);
	assert_remark("device tree: /cpus/cpu@2: reg: ");
	LOAD("pi4", "cpus {\n\t\t#address-cells = <1>", "cpus {\n\t\t#address-cells = <3>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpu_count, 0);
	assert_remark("device tree: /cpus: ");
}

/* ---- Interrupts of performance monitors ---- */

static void spis_are_of_the_cpus_that_affinity_names(void **state)
{
	(void)state;
	LOAD("pi4", "<&cpu0>, <&cpu1>, <&cpu2>, <&cpu3>", "<&cpu2>, <&cpu0>, <&cpu3>, <&cpu1>",
	     "<0 18 4>", "<0 18 1>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpus[2].pmu_interrupt, 48);
	assert_int_equal(platform.cpus[0].pmu_interrupt, 49);
	assert_int_equal(platform.cpus[3].pmu_interrupt, 50);
	assert_true(platform.cpus[3].pmu_edge);
	assert_int_equal(platform.cpus[1].pmu_interrupt, 51);
	assert_false(platform.cpus[1].pmu_edge);
}

static void an_spi_without_an_affinity_belongs_to_no_cpu(void **state)
{
	(void)state;
	LOAD("pi4", "<&cpu0>, <&cpu1>, <&cpu2>, <&cpu3>", "<&cpu0>, <&cpu1>, <&cpu2>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpus[2].pmu_interrupt, 50);
	assert_int_equal(platform.cpus[3].pmu_interrupt, 0);
	assert_remark("device tree: /arm-pmu: interrupt-affinity: ");
}

static void a_ppi_is_of_its_partition_else_of_all_cpus(void **state)
{
	(void)state;
	load("server", NULL);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.cpus[0].pmu_interrupt, 23);
	assert_int_equal(platform.cpus[1].pmu_interrupt, 22);
	assert_int_equal(platform.cpus[2].pmu_interrupt, 22);
	LOAD("pi4", "<0 16 4>, <0 17 4>, <0 18 4>, <0 19 4>", "<1 7 4>",
	     "interrupt-affinity = <&cpu0>, <&cpu1>, <&cpu2>, <&cpu3>;", "");
	assert_int_equal(parse(), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(platform.cpus[i].pmu_interrupt, 23);
}

static void interrupts_of_no_gic_are_reported(void **state)
{
	static const char *const bad[] = {
		"interrupts = <2 16 4>",  /* an extended SPI */
		"interrupts = <1 16 4>",  /* PPIs are 16 */
		"interrupts = <0 988 4>", /* SPIs are 988 */
		"interrupts = <0 16>",    /* fewer cells than the GIC's interrupts have */
		"interrupts-extended = <&cpu0 16>",
		"interrupts-extended = <&gic 0>",
		"no-interrupts",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		LOAD("pi4", "interrupts = <0 16 4>, <0 17 4>, <0 18 4>, <0 19 4>", bad[i]);
		assert_int_equal(parse(), 0);
		assert_int_equal(platform.cpus[0].pmu_interrupt, 0);
		assert_remark("device tree: /arm-pmu: interrupts: ");
	}
}

/* ---- The interrupt controller ---- */

static void a_machine_without_a_gic_is_reported_with_its_controller(void **state)
{
	(void)state;
	LOAD("pi4", "compatible = \"arm,gic-400\"", "compatible = \"brcm,bcm2836-l1-intc\"");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.gicd, 0);
	assert_int_equal(platform.gic_version, 0);
	assert_int_equal(platform.cpu_count, 4);
	assert_remark("device tree: /soc/interrupt-controller@40041000: compatible: no GIC");
	assert_remark("\"brcm,bcm2836-l1-intc\"");
}

static void registers_that_the_cpus_do_not_reach_are_none(void **state)
{
	(void)state;
	LOAD("pi4", "<0x40000000 0x0 0xff800000 0x00800000>",
	     "<0x40000000 0x0 0xff800000 0x00041000>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.gicd, 0);
	assert_remark("device tree: /soc/interrupt-controller@40041000: reg: ");
	LOAD("pi4", "reg = <0x40041000 0x1000>, <0x40042000 0x2000>", "reg = <0x40041000 0x1000>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.gicd, 0xff841000);
	assert_int_equal(platform.gicc, 0);
	assert_remark("CPU interface");
}

/* ---- The console ---- */

static void the_console_is_reached_as_its_node_says(void **state)
{
	(void)state;
	load("server", NULL);
	assert_int_equal(parse(), 0);
	assert_true(platform.has_uart);
	assert_int_equal(platform.uart.interface_type, 0);
	assert_int_equal(platform.uart.space, 0);
	assert_int_equal(platform.uart.address, 0xfe660000);
	assert_int_equal(platform.uart.reg_shift, 2);
	assert_int_equal(platform.uart.access_size, 4);
	assert_int_equal(platform.uart.clock, 24000000);
	assert_int_equal(platform.uart.baud, 1500000);
	LOAD("server", "\t\treg-shift = <2>;\n\t\treg-io-width = <4>;\n", "", "1500000n8", "x",
	     "\"rockchip,rk3568-uart\", \"snps,dw-apb-uart\"", "\"ns16550a\"");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.uart.reg_shift, 0);
	assert_int_equal(platform.uart.access_size, 1);
	assert_int_equal(platform.uart.baud, 0);
	LOAD("pi4", "serial0:115200n8", "serial1");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.uart.address, 0xfe215040);
	assert_int_equal(platform.uart.clock, 48000000);
}

static void a_console_that_we_cannot_drive_is_reported(void **state)
{
	static const struct {
		const char *from, *to, *remark;
	} cases[] = {
		{ "\"arm,pl011\", \"arm,primecell\"", "\"arm,no-uart\"",
		  "device tree: /soc/serial@7e201000: compatible: no UART" },
		{ "reg = <0x7e201000 0x200>", "reg = <0x1 0x200>", "/serial@7e201000: reg: " },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		LOAD("pi4", cases[i].from, cases[i].to);
		assert_int_equal(parse(), 0);
		assert_false(platform.has_uart);
		assert_remark(cases[i].remark);
	}
	LOAD("server", "reg-io-width = <4>", "reg-io-width = <2>");
	assert_int_equal(parse(), 0);
	assert_false(platform.has_uart);
	assert_remark("device tree: /serial@fe660000: reg-io-width, reg-shift: ");
}

/* ---- PCI, memory ---- */

static void configuration_space_counts_from_bus_0(void **state)
{
	(void)state;
	load("server", NULL);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.ecam_count, 2);
	assert_int_equal(platform.ecams[0].address, 0x4010000000);
	assert_int_equal(platform.ecams[0].first_bus, 0x20);
	assert_int_equal(platform.ecams[0].last_bus, 0xff);
	assert_int_equal(platform.ecams[0].segment, 2);
	assert_int_equal(platform.ecams[1].address, 0x50000000);
	assert_int_equal(platform.ecams[1].first_bus, 0);
	assert_int_equal(platform.ecams[1].last_bus, 15);
	LOAD("server", "bus-range = <0x20 0xff>", "bus-range = <0x20 0x1f>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.ecam_count, 1);
	assert_remark("device tree: /pcie@4010000000: reg, bus-range: ");
}

static void assert_window(unsigned number, bool io, uint64_t bus_address, uint64_t address,
                          uint64_t size)
{
	const struct arch_pci_window *window = &platform.windows[number];

	assert_true(number < platform.window_count);
	assert_int_equal(window->segment, 2);
	assert_int_equal(window->io, io);
	assert_int_equal(window->bus_address, bus_address);
	assert_int_equal(window->address, address);
	assert_int_equal(window->size, size);
}

static void a_host_bridge_s_windows_are_where_the_cpus_have_them(void **state)
{
	(void)state;
	load("server", NULL);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.window_count, 3);
	assert_window(0, true, 0, 0x3eff0000, 0x10000);
	assert_window(1, false, 0x40000000, 0x2040000000, 0x40000000);
	assert_window(2, false, 0x8000000000, 0x8000000000, 0x1000000000);
	LOAD("server", "<0x01000000 0 0x0 0x0 0x3eff0000 0 0x10000>,",
	     "<0 0 0x0 0x0 0x3eff0000 0 0x10000>,");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.window_count, 2); /* configuration space is not a window */
	LOAD("server", "0x80 0x0 0x10 0x0>", "0x80 0x0 0x10>");
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.window_count, 2);
	assert_remark("device tree: /pcie@4010000000: ranges: it ends in the middle of an entry");
}

static void memory_that_is_reserved_is_reported_wherever_the_tree_says_so(void **state)
{
	char many[8192] = "";

	(void)state;
	load("pi4", NULL);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.reserved_count, 3);
	assert_int_equal(platform.reserved[0].address, 0);
	assert_int_equal(platform.reserved[0].size, 0x1000);
	assert_int_equal(platform.reserved[1].address, 0x3eff0000);
	assert_int_equal(platform.reserved[1].size, 0x10000);
	assert_int_equal(platform.reserved[2].address, 0x100000000);
	assert_int_equal(platform.reserved[2].size, 0x2000);
	for (unsigned i = 0; i < ARCH_MAX_RESERVED; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many),
		         "/memreserve/ 0x%x000 0x1000;\n", 16 + i);
	LOAD("pi4", "/memreserve/ 0x0 0x1000;\n", many);
	assert_int_equal(parse(), 0);
	assert_int_equal(platform.reserved_count, ARCH_MAX_RESERVED);
	assert_remark("device tree: more than 64 pieces");
}

/* ---- Foreign bytes ---- */

static void an_invalid_tree_gives_an_empty_platform(void **state)
{
	uint32_t whole;

	(void)state;
	load("pi4", NULL);
	whole = memory_size;
	for (memory_size = 0; memory_size < whole; memory_size++) {
		assert_int_equal(parse(), -EINVAL);
		assert_int_equal(platform.cpu_count, 0);
		assert_remark("device tree: at 0x48000000");
	}
	memory[0] ^= 1;
	assert_int_equal(parse(), -EINVAL);
	memory[0] ^= 1;
	assert_int_equal(parse(), 0);
	memory[11]++; /* off_dt_struct: no longer at a token */
	assert_int_equal(parse(), -EINVAL);
	assert_remark("it is damaged: FDT_ERR_");
	memory[11]--;
	memory[23] = memory[27] = 15; /* version and last_comp_version: names are whole paths */
	assert_int_equal(parse(), -EINVAL);
	assert_remark("device tree: at 0x48000000, it is of version 15: 16 and later are read");
	assert_int_equal(devicetree_parse(UINT64_MAX - 7, 0, view, warn, &platform), -EINVAL);
}

static void damage_is_survived(void **state)
{
	uint8_t *good;

	(void)state;
	load("server", NULL);
	good = malloc(memory_size);
	memcpy(good, memory, memory_size);
	srand(1);
	for (unsigned i = 0; i < SEEDS; i++) {
		memcpy(memory, good, memory_size);
		for (unsigned n = 0; n < 1 + i % 4; n++)
			memory[8 + (unsigned)rand() % (memory_size - 8)] = (uint8_t)rand();
		parse();
		assert_true(platform.cpu_count <= ARCH_MAX_CPUS);
		assert_true(platform.gicr_count <= ARCH_MAX_GICR_AREAS);
		assert_true(platform.ecam_count <= ARCH_MAX_ECAMS);
		assert_true(platform.window_count <= ARCH_MAX_WINDOWS);
		assert_true(platform.reserved_count <= ARCH_MAX_RESERVED);
	}
	free(good);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_board_like_a_raspberry_pi_4_is_described),
		CASE(a_gicv3_with_several_redistributor_regions_is_described),
		CASE(qemus_own_tree_is_known),
		CASE(regions_that_are_missing_are_reported),
		CASE(failed_cpus_are_left_out_and_disabled_ones_wait),
		CASE(a_spin_table_starts_no_cpu_but_the_boot_cpu_is_listed),
		CASE(without_psci_there_is_the_boot_cpu_alone),
		CASE(cpus_that_do_not_say_which_they_are_are_reported),
		CASE(spis_are_of_the_cpus_that_affinity_names),
		CASE(an_spi_without_an_affinity_belongs_to_no_cpu),
		CASE(a_ppi_is_of_its_partition_else_of_all_cpus),
		CASE(interrupts_of_no_gic_are_reported),
		CASE(a_machine_without_a_gic_is_reported_with_its_controller),
		CASE(registers_that_the_cpus_do_not_reach_are_none),
		CASE(the_console_is_reached_as_its_node_says),
		CASE(a_console_that_we_cannot_drive_is_reported),
		CASE(configuration_space_counts_from_bus_0),
		CASE(a_host_bridge_s_windows_are_where_the_cpus_have_them),
		CASE(memory_that_is_reserved_is_reported_wherever_the_tree_says_so),
		CASE(an_invalid_tree_gives_an_empty_platform),
		CASE(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
