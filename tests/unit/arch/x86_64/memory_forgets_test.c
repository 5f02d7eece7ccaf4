/* SPDX-License-Identifier: MIT */
/* Whether RAM is erased at a reset, by CPUID and IA32_TME_ACTIVATE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>

#include "arch/arch.h"
#include "arch/host/fake_cpu.h"
#include "arch/x86_64/pmu/perfmon.h"

#define TME 0x982U

static uint64_t highest, features, activate;
static unsigned reads; /* number of reads of TME's register */

static uint64_t read_reg(uint32_t reg)
{
	if (reg == CPUID_WORD(0U, CPUID_EAX))
		return highest;
	if (reg == CPUID_WORD(7U, CPUID_ECX))
		return features;
	assert_int_equal(reg, TME);
	reads++;
	return activate;
}

static const char *ask(uint64_t leaves, uint64_t ecx, uint64_t msr)
{
	highest = leaves;
	features = ecx;
	activate = msr;
	reads = 0;
	fake_reg_read = read_reg;
	fake_machine = EM_X86_64;
	return arch_memory_forgets();
}

static void encryption_that_is_on_is_reported(void **state)
{
	(void)state;
	assert_string_equal(ask(7, 1U << 13, 3), "memory encryption (TME) is on"); /* locked */
	assert_string_equal(ask(32, UINT32_MAX, 2), "memory encryption (TME) is on");
}

static void memory_encryption_that_is_off_erases_nothing(void **state)
{
	(void)state;
	assert_null(ask(7, 1U << 13, 0));
	assert_null(ask(7, 1U << 13, ~2ULL));
	assert_int_equal(reads, 1);
}

static void a_cpu_without_it_is_not_asked_for_its_register(void **state)
{
	(void)state;
	assert_null(ask(7, ~(1U << 13), 2));
	assert_null(ask(6, UINT32_MAX, 2));
	assert_int_equal(reads, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encryption_that_is_on_is_reported),
		cmocka_unit_test(memory_encryption_that_is_off_erases_nothing),
		cmocka_unit_test(a_cpu_without_it_is_not_asked_for_its_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
