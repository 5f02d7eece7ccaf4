/* SPDX-License-Identifier: MIT */
/* The counters of microbenchmarks on a CPU that can stop them in system management mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "abi/machine.h"
#include "arch/arch.h"
#include "arch/host/fake_cpu.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/x86/x86_bench.h"

static bool can_freeze;
static uint64_t debugctl, at_start;      /* IA32_DEBUGCTL now, and when the counters started */
static uint64_t fixed_control, select_0; /* the last values that start() wrote */
static uint64_t fixed_1, thawed;         /* IA32_FIXED_CTR1; the last value of OVF_CTRL */

static uint64_t read_register(uint32_t reg)
{
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return CPUID_VENDOR_GENU;
	case CPUID_WORD(CPUID_FEATURES, CPUID_ECX):
		return CPUID_FEATURES_PDCM;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return 48U << CPUID_PERFMON_WIDTH | 4U << CPUID_PERFMON_COUNTERS | 4U;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EDX):
		return 48U << CPUID_PERFMON_FIXED_WIDTH | 3U;
	case IA32_PERF_CAPABILITIES:
		return can_freeze ? PERF_CAPABILITIES_FREEZE : 0;
	case IA32_DEBUGCTL:
		return debugctl;
	case IA32_FIXED_CTR0 + 1:
		return fixed_1;
	default:
		return 0;
	}
}

static void write_register(uint32_t reg, uint64_t value)
{
	if (reg == IA32_DEBUGCTL) {
		assert_true(can_freeze); /* a reserved bit raises #GP */
		debugctl = value;
	}
	if (reg == IA32_FIXED_CTR_CTRL && value)
		fixed_control = value;
	if (reg == IA32_FIXED_CTR0 + 1)
		fixed_1 = value;
	if (reg == IA32_PERF_GLOBAL_OVF_CTRL)
		thawed = value;
	if (reg == IA32_PERFEVTSEL0 && value)
		select_0 = value;
	if (reg == IA32_PERF_GLOBAL_CTRL && value)
		at_start = debugctl;
}

static int set_up(void **state)
{
	(void)state;
	fake_machine = EM_X86_64;
	fake_reg_read = read_register;
	fake_reg_write = write_register;
	debugctl = DEBUGCTL_LBR;
	at_start = 0;
	return 0;
}

static void run(struct bench_unit *unit)
{
	const struct bench_task task = { .fixed = true, .index = 0 };

	x86_bench_counters.look(unit);
	x86_bench_counters.start(unit, &task, 1, false);
	x86_bench_counters.stop(unit);
}

static void counters_freeze_in_smm_while_they_count(void **state)
{
	struct bench_unit unit;

	(void)state;
	can_freeze = true;
	run(&unit);
	assert_true(unit.freezes && !unit.froze);
	assert_int_equal(at_start, DEBUGCTL_LBR | DEBUGCTL_FREEZE_WHILE_SMM);
	assert_int_equal(debugctl, DEBUGCTL_LBR);
}

static void the_bit_stays_if_it_was_set_before(void **state)
{
	struct bench_unit unit;

	(void)state;
	can_freeze = true;
	debugctl |= DEBUGCTL_FREEZE_WHILE_SMM;
	run(&unit);
	assert_true(unit.freezes && unit.froze);
	assert_int_equal(debugctl, DEBUGCTL_LBR | DEBUGCTL_FREEZE_WHILE_SMM);
}

static void a_cpu_without_the_bit_is_left_alone(void **state)
{
	struct bench_unit unit;

	(void)state;
	can_freeze = false;
	run(&unit);
	assert_false(unit.freezes);
	assert_int_equal(at_start, DEBUGCTL_LBR);
}

static void a_snippet_at_ring_3_is_counted_there_alone(void **state)
{
	const struct bench_task tasks[] = { { .fixed = true, .index = 1 }, { .config = 0xc0 } };
	struct bench_unit unit;

	(void)state;
	can_freeze = true;
	x86_bench_counters.look(&unit);
	assert_true(unit.general > 0 && unit.fixed & 2);
	x86_bench_counters.start(&unit, tasks, 2, true);
	assert_int_equal(fixed_control, FIXED_CTR_CTRL_USR << 4);
	assert_int_equal(select_0, 0xc0 | PERFEVTSEL_USR | PERFEVTSEL_EN);
	x86_bench_counters.start(&unit, tasks, 2, false);
	assert_int_equal(fixed_control, (FIXED_CTR_CTRL_USR | FIXED_CTR_CTRL_OS) << 4);
	assert_int_equal(select_0, 0xc0 | PERFEVTSEL_USR | PERFEVTSEL_OS | PERFEVTSEL_EN);
}

static void counters_freeze_after_the_chosen_cycle(void **state)
{
	const struct bench_task cycles = { .fixed = true, .index = 1 };
	struct bench_unit unit;
	uint32_t reg;
	uint64_t on;

	(void)state;
	can_freeze = true;
	x86_bench_counters.look(&unit);
	assert_true(unit.gates);
	on = x86_bench_counters.gate(&unit, NULL, 0, false, &reg);
	assert_int_equal(reg, IA32_PERF_GLOBAL_CTRL);
	assert_int_equal(on, 1ULL << (GLOBAL_FIXED + 1));
	assert_int_equal(at_start, 0); /* nothing counts yet */
	assert_int_equal(fixed_control,
	                 (FIXED_CTR_CTRL_PMI | FIXED_CTR_CTRL_USR | FIXED_CTR_CTRL_OS) << 4);
	assert_true(debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI);
	x86_bench_counters.arm(&unit, 7);
	assert_int_equal(fixed_1, (1ULL << 48) - 1 - 7);
	assert_int_equal(x86_bench_counters.read(&unit, &cycles, 7), 0);
	fixed_1 = 2; /* it overflowed and went on */
	assert_int_equal(x86_bench_counters.read(&unit, &cycles, 7), 10);
	x86_bench_counters.arm(&unit, UINT32_MAX);
	assert_int_equal(fixed_1, 0);
	assert_int_equal(thawed, 0xfULL | 7ULL << GLOBAL_FIXED | GLOBAL_STATUS_CTR_FRZ);
	x86_bench_counters.stop(&unit);
	assert_int_equal(debugctl, DEBUGCTL_LBR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(counters_freeze_in_smm_while_they_count, set_up),
		cmocka_unit_test_setup(the_bit_stays_if_it_was_set_before, set_up),
		cmocka_unit_test_setup(a_cpu_without_the_bit_is_left_alone, set_up),
		cmocka_unit_test_setup(a_snippet_at_ring_3_is_counted_there_alone, set_up),
		cmocka_unit_test_setup(counters_freeze_after_the_chosen_cycle, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
