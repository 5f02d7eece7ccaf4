/* SPDX-License-Identifier: MIT */
/* A firmware's own times in a device tree, as U-Boot and coreboot leave them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/devicetree/devicetree_times.h"
#include "tests/unit/lib/devicetree/devicetree_rig.h"

static char reported[512];

static void tell(void *context, uint64_t ns, const char *name)
{
	size_t length = strlen(reported);

	(void)context;
	snprintf(reported + length, sizeof(reported) - length, "%lu %s\n", ns, name);
}

static const char *reads(void)
{
	reported[0] = 0;
	return devicetree_bootstage(BASE, view, tell, NULL);
}

static void bootstage_has_moments_and_sums(void **state)
{
	(void)state;
	compile(
	    "/dts-v1/; / { bootstage {\n"
	    "0 { name = \"board_init_f\"; mark = <1250>; };\n"
	    "1 { name = \"of_live\"; accum = <30>; };\n"
	    "2 { name = \"reset\"; mark = <0>; };\n"
	    "3 { mark = <5>; };\n"
	    "4 { name = \"late\"; mark = <0xffffffff>; };\n"
	    "5 { name = \"wrong\"; mark = [01]; };\n"
	    "6 { name = \"a\\x1b[2J\"; mark = <7>; };\n"
	    "}; };");
	assert_null(reads());
	assert_string_equal(reported,
	                    "1250000 board_init_f\n30000 of_live (in all)\n"
	                    "4294967295000 late\n7000 a?[2J\n");
}

static void trees_without_are_not_wrong(void **state)
{
	(void)state;
	compile("/dts-v1/; / { model = \"x\"; other { mark = <5>; name = \"x\"; }; };");
	assert_null(reads());
	assert_string_equal(reported, "");
	assert_int_equal(devicetree_coreboot(BASE, view), 0);
}

static void damaged_trees_are_refused(void **state)
{
	(void)state;
	compile("/dts-v1/; / { bootstage { 0 { name = \"x\"; mark = <1>; }; }; };");
	memory[0] ^= 1;
	assert_string_equal(reads(), "the device tree cannot be read");
	assert_string_equal(reported, "");
	assert_int_equal(devicetree_coreboot(BASE, view), 0);
}

static void coreboots_table_is_named_by_its_node(void **state)
{
	(void)state;
	compile(
	    "/dts-v1/; / { #address-cells = <2>; #size-cells = <2>;\n"
	    "firmware { ranges; #address-cells = <2>; #size-cells = <2>;\n"
	    "coreboot { compatible = \"coreboot\"; reg = <1 0x2000 0 0x1000>; }; }; };");
	assert_int_equal(devicetree_coreboot(BASE, view), 0x100002000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(bootstage_has_moments_and_sums, set_up, tear_down),
		cmocka_unit_test_setup_teardown(trees_without_are_not_wrong, set_up, tear_down),
		cmocka_unit_test_setup_teardown(damaged_trees_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(coreboots_table_is_named_by_its_node, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
