/* SPDX-License-Identifier: MIT */
/* Device tree conventions of some boards, read as Linux reads them: interrupts through a second
 * controller, or for unnamed CPUs, the timer's rate, consoles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/lib/devicetree/devicetree_rig.h"

/* ---- Controllers that hand a GIC's interrupts on ---- */

#define CPU(n) \
	"c" n ": cpu@" n " { device_type = \"cpu\"; reg = <" n ">; enable-method = \"psci\"; };"
#define HEAD \
	"/dts-v1/; / { #address-cells = <2>; #size-cells = <2>; interrupt-parent = <&lic>;"     \
	"cpus { #address-cells = <1>; #size-cells = <0>;" CPU("0") CPU("1") CPU("2") "};"       \
	"psci { compatible = \"arm,psci-1.0\"; method = \"smc\"; };"                            \
	"gic: gic@50041000 { compatible = \"arm,gic-400\"; interrupt-controller;"              \
	" #interrupt-cells = <3>; interrupt-parent = <&gic>;"                                  \
	" reg = <0 0x50041000 0 0x1000>, <0 0x50042000 0 0x2000>; };"
#define TIMER                                       \
	"timer { compatible = \"arm,armv8-timer\";" \
	" interrupts = <1 13 0xf08>, <1 14 0xf08>, <1 11 0xf08>, <1 10 0xf08>; %s };"
#define CONTROLLER \
	"lic: lic { compatible = \"%s\"; interrupt-controller; #interrupt-cells = <%s>; %s };"
#define PMU "pmu { compatible = \"arm,cortex-a57-pmu\"; %s };"

static void load_text(const char *format, ...)
{
	char text[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	compile(text);
	assert_int_equal(parse(), 0);
}

static void a_controller_that_hands_interrupts_on_is_looked_through(void **state)
{
	static const char *const kinds[] = { "nvidia,tegra210-ictlr",
		                             "mediatek,mt2712-sysirq\", \"mediatek,mt6577-sysirq",
		                             "fsl,imx8mq-gpc" };

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		load_text(HEAD CONTROLLER TIMER PMU "};", kinds[i], "3",
		          "interrupt-parent = <&gic>;", "",
		          "interrupts = <0 144 4>, <0 145 4>, <0 146 1>;"
		          "interrupt-affinity = <&c0>, <&c2>, <&c1>;");
		assert_null(strstr(remarks, "interrupts"));
		assert_int_equal(platform.cpus[0].pmu_interrupt, 176);
		assert_int_equal(platform.cpus[2].pmu_interrupt, 177);
		assert_int_equal(platform.cpus[1].pmu_interrupt, 178);
		assert_true(platform.cpus[1].pmu_edge);
		assert_int_equal(platform.timer_virtual_interrupt, 27);
		load_text(HEAD CONTROLLER TIMER PMU "};", kinds[i], "3",
		          "interrupt-parent = <&gic>;", "", "interrupts-extended = <&lic 1 7 4>;");
		assert_null(strstr(remarks, "interrupts"));
		assert_int_equal(platform.cpus[1].pmu_interrupt, 23);
	}
}

static void two_such_controllers_may_follow_each_other(void **state)
{
	(void)state;
	load_text(HEAD CONTROLLER
	          "sys: sys { compatible = \"mediatek,mt6577-sysirq\";"
	          " interrupt-controller; #interrupt-cells = <3>;"
	          " interrupt-parent = <&gic>; };" PMU "};",
	          "mediatek,mtk-cirq", "3", "interrupt-parent = <&sys>;", "interrupts = <1 7 4>;");
	assert_int_equal(platform.cpus[2].pmu_interrupt, 23);
}

static void any_other_controller_keeps_its_interrupts(void **state)
{
	static const struct {
		const char *kind, *cells, *parent;
	} cases[] = {
		{ "brcm,bcm2836-l1-intc", "3", "interrupt-parent = <&gic>;" },
		{ "nvidia,tegra210-ictlr", "2", "interrupt-parent = <&gic>;" },
		{ "nvidia,tegra210-ictlr", "3", "interrupt-parent = <&lic>;" }, /* for ever */
		{ "nvidia,tegra210-ictlr", "3", "interrupt-parent = <77>;" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load_text(HEAD CONTROLLER PMU "};", cases[i].kind, cases[i].cells, cases[i].parent,
		          "interrupts = <0 144 4>, <0 145 4>;"
		          "interrupt-affinity = <&c0>, <&c1>;");
		assert_int_equal(platform.cpus[0].pmu_interrupt, 0);
		assert_remark("device tree: /pmu: interrupts: ");
	}
}

/* ---- Interrupts whose CPUs nobody names ---- */

static void load_pmus(uint64_t boot, const char *pmus)
{
	boot_cpu = boot;
	load_text(HEAD CONTROLLER "%s };", "nvidia,tegra210-ictlr", "3",
	          "interrupt-parent = <&gic>;", pmus);
}

static void assert_interrupts(uint32_t first, uint32_t second, uint32_t third)
{
	assert_int_equal(platform.cpus[0].pmu_interrupt, first);
	assert_int_equal(platform.cpus[1].pmu_interrupt, second);
	assert_int_equal(platform.cpus[2].pmu_interrupt, third);
}

#define SPIS(more) "pmu { compatible = \"arm,armv8-pmuv3\"; interrupts = " more " };"
static void spis_without_affinity_are_the_cpus_in_linuxs_order(void **state)
{
	(void)state;
	load_pmus(0, SPIS("<0 143 4>, <0 144 4>, <0 145 4>;"));
	assert_interrupts(175, 176, 177);
	assert_remark(
	    "device tree: /pmu: interrupt-affinity: it is missing: the interrupts are "
	    "taken for the CPUs' in their order\n");
	/* Linux's first CPU is the boot CPU */
	load_pmus(2, SPIS("<0 143 4>, <0 144 4>, <0 145 4>;"));
	assert_interrupts(176, 177, 175);
	load_pmus(1, SPIS("<0 143 4>, <0 144 4>, <0 145 4>;"));
	assert_interrupts(176, 175, 177);
	/* the boot CPU is none of the described CPUs */
	load_pmus(9, SPIS("<0 143 4>, <0 144 4>, <0 145 4>;"));
	assert_interrupts(175, 176, 177);
}

static void too_few_or_too_many_spis_are_the_first_cpus(void **state)
{
	(void)state;
	load_pmus(0, SPIS("<0 143 4>, <0 144 4>;"));
	assert_interrupts(175, 176, 0);
	load_pmus(0, SPIS("<0 143 4>, <0 144 4>, <0 145 4>, <0 146 4>, <0 147 4>;"));
	assert_interrupts(175, 176, 177);
}

static void cpus_that_another_monitor_names_keep_theirs(void **state)
{
	(void)state;
	load_pmus(0,
	          "a { compatible = \"arm,cortex-a53-pmu\"; interrupts = <0 8 4>;"
	          " interrupt-affinity = <&c1>; };" SPIS("<0 143 4>, <0 144 4>, <0 145 4>;"));
	assert_interrupts(175, 40, 177);
}

/* ---- The timer's rate ---- */

static void the_timers_rate_is_the_trees_where_it_names_one(void **state)
{
	static const struct {
		const char *property;
		uint32_t rate;
		bool refused;
	} cases[] = {
		{ "", 0, false },
		{ "clock-frequency = <19200000>;", 19200000, false },
		{ "clock-frequency = <0>;", 0, true },
		{ "clock-frequency = <0 19200000>;", 0, true },
		{ "clock-frequency = [00 01];", 0, false }, /* no cells */
	};

	(void)state;
	boot_cpu = 0;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		load_text(HEAD CONTROLLER TIMER "};", "nvidia,tegra210-ictlr", "3",
		          "interrupt-parent = <&gic>;", cases[i].property);
		assert_int_equal(platform.timer_frequency, cases[i].rate);
		if (cases[i].refused)
			assert_remark(
			    "device tree: /timer: clock-frequency: it is no frequency: "
			    "CNTFRQ_EL0 is used");
		else
			assert_null(strstr(remarks, "clock-frequency"));
	}
}

/* ---- Consoles ---- */

static void a_uart_is_the_first_of_its_names_that_we_know(void **state)
{
	static const struct {
		const char *names;
		uint8_t type;
	} cases[] = {
		{ "\"arm,sbsa-uart\", \"arm,pl011\"", 0x0e },
		{ "\"arm,pl011\", \"arm,sbsa-uart\"", 0x03 },
		{ "\"vendor,new\", \"arm,sbsa-uart\"", 0x0e },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		LOAD("pi4", "\"arm,pl011\", \"arm,primecell\"", cases[i].names);
		assert_int_equal(parse(), 0);
		assert_true(platform.has_uart);
		assert_int_equal(platform.uart.interface_type, cases[i].type);
	}
}

static void boards_uarts_are_known_and_how_they_are_reached(void **state)
{
	static const struct {
		const char *names;
		uint32_t type;
		uint8_t width, shift;
	} cases[] = {
		{ "\"mediatek,mt8183-uart\", \"mediatek,mt6577-uart\"", ARCH_UART_MEDIATEK, 1, 0 },
		{ "\"nvidia,tegra210-uart\", \"nvidia,tegra20-uart\"", ARCH_UART_TEGRA, 1, 0 },
		{ "\"brcm,bcm2835-aux-uart\"", ARCH_UART_BCM2835_AUX, 1, 0 },
		{ "\"ti,am64-uart\", \"ti,am654-uart\"", ARCH_UART_16550, 4, 2 },
		{ "\"fsl,imx8mm-uart\", \"fsl,imx6q-uart\"", ARCH_UART_IMX, 1, 0 },
		{ "\"amlogic,meson-gx-uart\", \"amlogic,meson-ao-uart\"", ARCH_UART_MESON, 1, 0 },
		{ "\"xlnx,xuartps\", \"cdns,uart-r1p8\"", ARCH_UART_CADENCE, 1, 0 },
		{ "\"renesas,scif-r8a7795\", \"renesas,rcar-gen3-scif\", \"renesas,scif\"",
		  ARCH_UART_SCIF, 1, 0 },
		{ "\"qcom,geni-debug-uart\"", ARCH_UART_SDM845, 1, 0 },
		{ "\"qcom,geni-uart\"", ARCH_UART_SDM845, 1, 0 },
		{ "\"qcom,msm-uartdm-v1.4\", \"qcom,msm-uartdm\"", ARCH_UART_MSM8974, 1, 0 },
		{ "\"qcom,msm-uartdm-v1.3\", \"qcom,msm-uartdm\"", ARCH_UART_MSM8X60, 1, 0 },
		{ "\"qcom,msm-uartdm-v1.1\", \"qcom,msm-uartdm\"", ARCH_UART_MSM8X60, 1, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		LOAD("pi4", "\"arm,pl011\", \"arm,primecell\"", cases[i].names);
		assert_int_equal(parse(), 0);
		assert_string_equal(remarks, "");
		assert_true(platform.has_uart);
		assert_int_equal(platform.uart.interface_type, cases[i].type);
		assert_int_equal(platform.uart.access_size, cases[i].width);
		assert_int_equal(platform.uart.reg_shift, cases[i].shift);
	}
}

static void the_alias_serial0_is_the_console_where_stdout_path_names_none(void **state)
{
	(void)state;
	LOAD("pi4", "stdout-path", "stdin-path");
	assert_int_equal(parse(), 0);
	assert_string_equal(remarks, "");
	assert_true(platform.has_uart);
	assert_int_equal(platform.uart.address, 0xfe201000);
	assert_int_equal(platform.uart.baud, 0);
	LOAD("pi4", "serial0:115200n8", "serial7:9600");
	assert_int_equal(parse(), 0);
	assert_remark("device tree: /chosen: stdout-path: it names no node\n");
	assert_int_equal(platform.uart.address, 0xfe201000);
	assert_int_equal(platform.uart.baud, 0);
	LOAD("pi4", "serial0 = ", "serial3 = ", "stdout-path", "stdin-path");
	assert_int_equal(parse(), 0);
	assert_false(platform.has_uart);
	assert_remark("device tree: /chosen: stdout-path: it names no node, nor does the alias");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(a_controller_that_hands_interrupts_on_is_looked_through),
		CASE(two_such_controllers_may_follow_each_other),
		CASE(any_other_controller_keeps_its_interrupts),
		CASE(spis_without_affinity_are_the_cpus_in_linuxs_order),
		CASE(too_few_or_too_many_spis_are_the_first_cpus),
		CASE(cpus_that_another_monitor_names_keep_theirs),
		CASE(the_timers_rate_is_the_trees_where_it_names_one),
		CASE(a_uart_is_the_first_of_its_names_that_we_know),
		CASE(boards_uarts_are_known_and_how_they_are_reached),
		CASE(the_alias_serial0_is_the_console_where_stdout_path_names_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
