/* SPDX-License-Identifier: MIT */
/* One counter of instructions beside a firmware that has counters of its own, and a counter that
 * stands still. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/machine.h"
#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/arch.h"
#include "arch/host/fake_cpu.h"
#include "pmu/arm/arm_instructions.h"

static uint64_t version, events, control, enabled, interrupts, overflowed;
static uint64_t types[4], values[4];
static bool stands_still;

const struct instruction_counter *const instruction_counter = &arm_instructions;

static uint64_t read_register(uint32_t reg)
{
	for (unsigned i = 0; i < 4; i++) {
		if (reg == PMEVTYPER_EL0(i))
			return types[i];
		if (reg == PMEVCNTR_EL0(i))
			return enabled >> i & 1 && control & PMCR_E && !stands_still ? ++values[i]
			                                                             : values[i];
	}
	return reg == ID_AA64DFR0_EL1  ? version << ID_AA64DFR0_PMUVER
	       : reg == PMCEID0_EL0    ? events
	       : reg == PMCR_EL0       ? control
	       : reg == PMCNTENSET_EL0 ? enabled
	       : reg == PMINTENSET_EL1 ? interrupts
	                               : 0;
}

static void write_register(uint32_t reg, uint64_t value)
{
	for (unsigned i = 0; i < 4; i++) {
		types[i] = reg == PMEVTYPER_EL0(i) ? value : types[i];
		values[i] = reg == PMEVCNTR_EL0(i) ? value : values[i];
	}
	control = reg == PMCR_EL0 ? value : control;
	enabled = reg == PMCNTENSET_EL0   ? enabled | value
	          : reg == PMCNTENCLR_EL0 ? enabled & ~value
	                                  : enabled;
	overflowed &= reg == PMOVSCLR_EL0 ? ~value : UINT64_MAX;
}

static int set_up(void **state)
{
	(void)state;
	fake_machine = EM_AARCH64;
	fake_reg_read = read_register;
	fake_reg_write = write_register;
	version = 1;
	events = 1U << 8;
	control = 4U << PMCR_N;
	enabled = interrupts = overflowed = 0;
	memset(types, 0, sizeof(types));
	memset(values, 0, sizeof(values));
	stands_still = false;
	return 0;
}

static void the_first_unused_counter_is_taken_and_restored(void **state)
{
	uint64_t mask, first;

	(void)state;
	enabled = 1;    /* the firmware counts */
	interrupts = 2; /* and samples */
	types[2] = 0x11;
	values[2] = 1234;
	overflowed = 5;
	assert_null(arm_instructions.begin(&mask));
	assert_int_equal(mask, UINT32_MAX);
	assert_int_equal(types[2], 8 | PMEVTYPER_NSH);
	assert_int_equal(enabled, 5);
	assert_true(control & PMCR_E);
	first = arm_instructions.read();
	assert_int_equal(arm_instructions.read(), first + 1);
	arm_instructions.end();
	assert_int_equal(types[2], 0x11);
	assert_int_equal(values[2], 1234);
	assert_int_equal(enabled, 1);
	assert_int_equal(control, 4U << PMCR_N);
	assert_int_equal(overflowed, 1);
}

static void a_cpu_without_a_free_counter_has_none(void **state)
{
	uint64_t mask;

	(void)state;
	enabled = 15;
	assert_non_null(strstr(arm_instructions.begin(&mask), "uses all event counters"));
	control = 0; /* no event counters */
	assert_non_null(strstr(arm_instructions.begin(&mask), "uses all event counters"));
	events = 0;
	assert_non_null(strstr(arm_instructions.begin(&mask), "has no counter"));
	version = ID_AA64DFR0_PMUVER_IMP;
	assert_non_null(strstr(arm_instructions.begin(&mask), "has no counter"));
}

static void a_counter_that_stands_still_is_not_used(void **state)
{
	uint64_t mask;

	(void)state;
	assert_null(instruction_counter_begin(&mask));
	arm_instructions.end();
	stands_still = true;
	assert_non_null(strstr(instruction_counter_begin(&mask), "stands still"));
	assert_int_equal(enabled, 0);
	version = 0;
	assert_non_null(strstr(instruction_counter_begin(&mask), "has no counter"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_unused_counter_is_taken_and_restored, set_up),
		cmocka_unit_test_setup(a_cpu_without_a_free_counter_has_none, set_up),
		cmocka_unit_test_setup(a_counter_that_stands_still_is_not_used, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
