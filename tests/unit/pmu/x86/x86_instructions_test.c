/* SPDX-License-Identifier: MIT */
/* One counter of instructions beside a firmware that has counters of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/machine.h"
#include "arch/arch.h"
#include "arch/host/fake_cpu.h"
#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/x86/x86_instructions.h"

static uint64_t cpuid_ebx, perfmon_eax, perfmon_edx, extended_ecx, extended_eax;
static struct {
	uint32_t reg;
	uint64_t value;
} registers[64];
static unsigned count;

static uint64_t *find(uint32_t reg)
{
	unsigned i = 0;

	while (i < count && registers[i].reg != reg)
		i++;
	assert_true(i < 64);
	registers[i].reg = reg;
	count += i == count;
	return &registers[i].value;
}

static uint64_t read_register(uint32_t reg)
{
	switch (reg) {
	case CPUID_WORD(0U, CPUID_EBX):
		return cpuid_ebx;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EAX):
		return perfmon_eax;
	case CPUID_WORD(CPUID_PERFMON, CPUID_EDX):
		return perfmon_edx;
	case CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX):
		return extended_ecx;
	case CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EAX):
		return extended_eax;
	default:
		return *find(reg);
	}
}

static void write_register(uint32_t reg, uint64_t value)
{
	*find(reg) = value;
}

static int set_up(void **state)
{
	(void)state;
	fake_machine = EM_X86_64;
	fake_reg_read = read_register;
	fake_reg_write = write_register;
	memset(registers, 0, sizeof(registers));
	count = 0;
	cpuid_ebx = CPUID_VENDOR_GENU;
	perfmon_eax = 48U << CPUID_PERFMON_WIDTH | 4U << CPUID_PERFMON_COUNTERS | 4U;
	perfmon_edx = 48U << CPUID_PERFMON_FIXED_WIDTH | 3U;
	extended_ecx = CPUID_EXTENDED_PERF_CTR_CORE;
	extended_eax = CPUID_EXTENDED_PERFMON_V2;
	return 0;
}

static void intels_fixed_counter_counts_all_levels(void **state)
{
	uint64_t mask;

	(void)state;
	*find(IA32_FIXED_CTR_CTRL) = 0x30; /* the firmware counts cycles */
	*find(IA32_PERF_GLOBAL_CTRL) = 1ULL << 33;
	*find(IA32_FIXED_CTR0) = 77;
	assert_null(x86_instructions.begin(&mask));
	assert_int_equal(mask, (1ULL << 48) - 1);
	assert_int_equal(*find(IA32_FIXED_CTR_CTRL), 0x33);
	assert_int_equal(*find(IA32_PERF_GLOBAL_CTRL), 3ULL << 32);
	assert_int_equal(*find(IA32_FIXED_CTR0), 0);
	x86_instructions.end();
	assert_int_equal(*find(IA32_FIXED_CTR_CTRL), 0x30);
	assert_int_equal(*find(IA32_PERF_GLOBAL_CTRL), 1ULL << 33);
	assert_int_equal(*find(IA32_FIXED_CTR0), 77);
}

static void a_counter_in_use_is_left_alone(void **state)
{
	uint64_t mask;

	(void)state;
	*find(IA32_FIXED_CTR_CTRL) = 1;
	assert_non_null(strstr(x86_instructions.begin(&mask), "the firmware uses"));
	assert_int_equal(*find(IA32_FIXED_CTR_CTRL), 1);
	assert_int_equal(*find(IA32_PERF_GLOBAL_CTRL), 0);
}

static void amds_first_free_counter_is_taken(void **state)
{
	uint64_t mask;

	(void)state;
	cpuid_ebx = CPUID_VENDOR_AUTH;
	*find(PERF_CTL0) = PERFEVTSEL_EN | 0x76;
	*find(PERF_CTL0 + 2) = 0x1234;
	*find(PERF_CTR0 + 2) = 99;
	*find(PERF_CNTR_GLOBAL_CTL) = 1;
	assert_null(x86_instructions.begin(&mask));
	assert_int_equal(*find(PERF_CTL0 + 2),
	                 0xc0 | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_EN);
	assert_int_equal(*find(PERF_CTR0 + 2), 0);
	assert_int_equal(*find(PERF_CNTR_GLOBAL_CTL), 3);
	x86_instructions.end();
	assert_int_equal(*find(PERF_CTL0), PERFEVTSEL_EN | 0x76);
	assert_int_equal(*find(PERF_CTL0 + 2), 0x1234);
	assert_int_equal(*find(PERF_CTR0 + 2), 99);
	assert_int_equal(*find(PERF_CNTR_GLOBAL_CTL), 1);
}

static void older_amd_cpus_have_no_global_registers(void **state)
{
	uint64_t mask;

	(void)state;
	cpuid_ebx = CPUID_VENDOR_AUTH;
	extended_eax = 0;
	assert_null(x86_instructions.begin(&mask));
	x86_instructions.end();
	for (unsigned i = 0; i < count; i++)
		assert_int_not_equal(registers[i].reg, PERF_CNTR_GLOBAL_CTL);
}

static void all_of_amds_counters_may_be_in_use(void **state)
{
	uint64_t mask;

	(void)state;
	cpuid_ebx = CPUID_VENDOR_AUTH;
	for (unsigned i = 0; i < PERF_COUNTERS; i++)
		*find(PERF_CTL0 + 2 * i) = PERFEVTSEL_EN;
	assert_non_null(strstr(x86_instructions.begin(&mask), "the firmware uses"));
}

static void a_cpu_without_counters_has_none(void **state)
{
	uint64_t mask;

	(void)state;
	perfmon_eax = 1; /* version 1 has no fixed counters */
	assert_non_null(strstr(x86_instructions.begin(&mask), "has no counter"));
	set_up(NULL);
	perfmon_edx = 0;
	assert_non_null(strstr(x86_instructions.begin(&mask), "has no counter"));
	cpuid_ebx = CPUID_VENDOR_AUTH;
	extended_ecx = 0;
	assert_non_null(strstr(x86_instructions.begin(&mask), "has no counter"));
	cpuid_ebx = 0;
	assert_non_null(strstr(x86_instructions.begin(&mask), "has no counter"));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(intels_fixed_counter_counts_all_levels, set_up),
		cmocka_unit_test_setup(a_counter_in_use_is_left_alone, set_up),
		cmocka_unit_test_setup(amds_first_free_counter_is_taken, set_up),
		cmocka_unit_test_setup(older_amd_cpus_have_no_global_registers, set_up),
		cmocka_unit_test_setup(all_of_amds_counters_may_be_in_use, set_up),
		cmocka_unit_test_setup(a_cpu_without_counters_has_none, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
