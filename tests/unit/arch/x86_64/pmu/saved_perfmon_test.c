/* SPDX-License-Identifier: MIT */
/* The performance monitor is restored to the firmware's state: AMD's, which no machine of the tests
 * has. resident_test tests Intel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>

#include "arch/host/fake_cpu.h"
#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "arch/x86_64/saved.h"

#define KNOWN 64U

static struct {
	uint32_t reg;
	uint64_t value;
} file[KNOWN];
static unsigned nr_known;
static uint32_t written[4 * KNOWN]; /* written registers, in order */
static unsigned nr_written;

static uint64_t *word_of(uint32_t reg)
{
	for (unsigned i = 0; i < nr_known; i++)
		if (file[i].reg == reg)
			return &file[i].value;
	return NULL;
}

static uint64_t read_reg(uint32_t reg)
{
	return word_of(reg) ? *word_of(reg) : 0;
}

static void write_reg(uint32_t reg, uint64_t value)
{
	assert_non_null(word_of(reg)); /* the CPU has this register */
	*word_of(reg) = value;
	written[nr_written++] = reg;
}

static void have(uint32_t reg, uint64_t value)
{
	file[nr_known].reg = reg;
	file[nr_known++].value = value;
}

static int begin(void **state)
{
	(void)state;
	nr_known = nr_written = 0;
	fake_machine = EM_X86_64;
	fake_reg_read = read_reg;
	fake_reg_write = write_reg;
	return 0;
}

static bool is_cpuid(uint32_t reg)
{
	return (reg & ~0x3ffU) == CPUID_WORDS;
}

/* Save, change everything, restore: each register has its old value, and the first saved one (the
 * global switch) was off meanwhile and is restored last. */
static void come_back(uint32_t first, unsigned least)
{
	struct perfmon_saved saved;

	perfmon_save(&saved);
	assert_true(saved.count >= least);
	assert_int_equal(saved.registers[0].reg, first);
	for (unsigned i = 0; i < nr_known; i++)
		if (!is_cpuid(file[i].reg))
			file[i].value = 0xdead;
	perfmon_restore(&saved);
	for (unsigned i = 0; i < nr_known; i++)
		if (!is_cpuid(file[i].reg))
			assert_int_equal(file[i].value, file[i].reg * 3ULL);
	assert_int_equal(written[0], first);
	assert_int_equal(written[nr_written - 1], first);
	assert_int_equal(nr_written, saved.count + 1);
}

static void have_amd(uint64_t extended, uint64_t version, uint64_t counters)
{
	have(CPUID_WORD(0U, CPUID_EBX), CPUID_VENDOR_AUTH);
	have(CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX), extended);
	have(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EAX), version);
	have(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EBX), counters);
	have(IA32_DEBUGCTL, IA32_DEBUGCTL * 3ULL);
}

static void amds_counters_with_one_switch_are_given_back(void **state)
{
	(void)state;
	have_amd(CPUID_EXTENDED_PERF_CTR_CORE, CPUID_EXTENDED_PERFMON_V2, 5);
	have(PERF_CNTR_GLOBAL_CTL, PERF_CNTR_GLOBAL_CTL * 3ULL);
	for (unsigned i = 0; i < 5; i++) {
		have(PERF_CTL0 + 2 * i, (PERF_CTL0 + 2 * i) * 3ULL);
		have(PERF_CTR0 + 2 * i, (PERF_CTR0 + 2 * i) * 3ULL);
	}
	come_back(PERF_CNTR_GLOBAL_CTL, 12);
}

static void so_are_those_of_older_ones(void **state)
{
	(void)state;
	have_amd(CPUID_EXTENDED_PERF_CTR_CORE, 0, 0);
	for (unsigned i = 0; i < 6; i++) {
		have(PERF_CTL0 + 2 * i, (PERF_CTL0 + 2 * i) * 3ULL);
		have(PERF_CTR0 + 2 * i, (PERF_CTR0 + 2 * i) * 3ULL);
	}
	come_back(PERF_CTL0, 13);
}

static void and_of_the_oldest(void **state)
{
	(void)state;
	have_amd(0, 0, 0);
	for (unsigned i = 0; i < 4; i++) {
		have(PERF_LEGACY_CTL0 + i, (PERF_LEGACY_CTL0 + i) * 3ULL);
		have(PERF_LEGACY_CTR0 + i, (PERF_LEGACY_CTR0 + i) * 3ULL);
	}
	come_back(PERF_LEGACY_CTL0, 9);
}

static void a_maker_that_is_not_known_is_left_alone(void **state)
{
	struct perfmon_saved saved;

	(void)state;
	have(CPUID_WORD(0U, CPUID_EBX), 0x746e6543); /* "Cent" */
	perfmon_save(&saved);
	perfmon_restore(&saved);
	assert_int_equal(saved.count, 0);
	assert_int_equal(nr_written, 0);
}

static bool has_counters(uint32_t vendor, uint64_t perfmon, uint64_t features, uint64_t extended)
{
	begin(NULL);
	have(CPUID_WORD(0U, CPUID_EBX), vendor);
	have(CPUID_WORD(CPUID_PERFMON, CPUID_EAX), perfmon);
	have(CPUID_WORD(CPUID_FEATURES, CPUID_ECX), features);
	have(CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX), extended);
	return perfmon_has_counters();
}

/* 4 general counters of version 2 are 402H. */
static void the_drivers_say_whether_there_are_counters(void **state)
{
	const uint64_t hypervisor = CPUID_FEATURES_HYPERVISOR;

	(void)state;
	assert_true(has_counters(CPUID_VENDOR_GENU, 0x402, 0, 0));
	assert_true(has_counters(CPUID_VENDOR_GENU, 0x402, hypervisor, 0));
	assert_false(has_counters(CPUID_VENDOR_GENU, 0, hypervisor, 0));
	assert_false(has_counters(CPUID_VENDOR_GENU, 0x002, 0, 0));
	assert_false(has_counters(CPUID_VENDOR_GENU, 0x400, 0, CPUID_EXTENDED_PERF_CTR_CORE));
	assert_true(has_counters(CPUID_VENDOR_AUTH, 0, 0, 0));
	assert_false(has_counters(CPUID_VENDOR_AUTH, 0, hypervisor, 0));
	assert_true(has_counters(CPUID_VENDOR_AUTH, 0, hypervisor, CPUID_EXTENDED_PERF_CTR_CORE));
	assert_false(has_counters(0x746e6543, 0x402, 0, CPUID_EXTENDED_PERF_CTR_CORE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, begin)
		TEST(amds_counters_with_one_switch_are_given_back),
		TEST(so_are_those_of_older_ones),
		TEST(and_of_the_oldest),
		TEST(a_maker_that_is_not_known_is_left_alone),
		TEST(the_drivers_say_whether_there_are_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
