/* SPDX-License-Identifier: MIT */
/* PMUv3's counters for microbenchmarks: which levels they count, and which counters there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "abi/machine.h"
#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/host/fake_cpu.h"
#include "pmu/arm/arm_bench.h"

#define COUNTERS 6U

static unsigned version;
static uint64_t type_2, cycle_filter, control, enabled; /* the registers' last values */

static uint64_t read_register(uint32_t reg)
{
	if (reg == ID_AA64DFR0_EL1)
		return (uint64_t)version << ID_AA64DFR0_PMUVER;
	return reg == PMCR_EL0 ? (uint64_t)COUNTERS << PMCR_N : 0;
}

static void write_register(uint32_t reg, uint64_t value)
{
	if (reg == PMEVTYPER_EL0(2))
		type_2 = value;
	if (reg == PMCCFILTR_EL0)
		cycle_filter = value;
	if (reg == PMCR_EL0)
		control = value;
	if (reg == PMCNTENSET_EL0)
		enabled = value;
	if (reg == PMCNTENCLR_EL0)
		enabled &= ~value;
}

static int set_up(void **state)
{
	(void)state;
	fake_machine = EM_AARCH64;
	fake_reg_read = read_register;
	fake_reg_write = write_register;
	version = PMUVER_V3;
	type_2 = cycle_filter = control = enabled = 0;
	return 0;
}

static void a_snippet_at_el0_is_counted_there_alone(void **state)
{
	const struct bench_task tasks[] = { { .fixed = true }, { .index = 2, .config = 0x8 } };
	struct bench_unit unit;

	(void)state;
	arm_bench_counters.look(&unit);
	arm_bench_counters.start(&unit, tasks, 2, true);
	assert_int_equal(type_2, 0x8U | PMEVTYPER_P);
	assert_int_equal(cycle_filter, PMEVTYPER_P);
	assert_int_equal(enabled, 1ULL << 2 | 1ULL << 31);
	arm_bench_counters.start(&unit, tasks, 2, false);
	assert_int_equal(type_2, 0x8U | PMEVTYPER_NSH);
	assert_int_equal(cycle_filter, PMEVTYPER_NSH);
	arm_bench_counters.stop(&unit);
	assert_int_equal(enabled, 0);
}

static void the_version_decides_which_counters_there_are(void **state)
{
	struct bench_unit unit;

	(void)state;
	arm_bench_counters.look(&unit);
	assert_int_equal(unit.general, COUNTERS);
	assert_int_equal(unit.fixed, 1);
	assert_true(unit.general_mask == UINT32_MAX && !unit.gates);
	version = PMUVER_V3P5;
	arm_bench_counters.look(&unit);
	assert_true(unit.general_mask == UINT64_MAX);
	arm_bench_counters.start(&unit, NULL, 0, false);
	assert_true(control & PMCR_LP && control & PMCR_LC && control & PMCR_E);
	version = ID_AA64DFR0_PMUVER_IMP;
	arm_bench_counters.look(&unit);
	assert_int_equal(unit.general + unit.fixed, 0);
	control = 0;
	arm_bench_counters.start(&unit, NULL, 0, false);
	assert_int_equal(control, 0); /* registers that are not there */
}

static void a_counter_has_its_number_as_selector(void **state)
{
	const struct bench_task cycles = { .fixed = true }, third = { .index = 3 };

	(void)state;
	assert_int_equal(arm_bench_counters.selector(&cycles), 31);
	assert_int_equal(arm_bench_counters.selector(&third), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_snippet_at_el0_is_counted_there_alone, set_up),
		cmocka_unit_test_setup(the_version_decides_which_counters_there_are, set_up),
		cmocka_unit_test_setup(a_counter_has_its_number_as_selector, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
