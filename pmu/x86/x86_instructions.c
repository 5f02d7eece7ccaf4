/* SPDX-License-Identifier: MIT */
/* Intel's fixed counter 0 (SDM volume 3B, 20.2.2); a free counter of AMD's core PMU (APM volume 2,
 * 13.2) with event C0H, retired instructions. */
#include "pmu/x86/x86_instructions.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/arch.h"
#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/perfmon.h"

#define RETIRED_INSTRUCTIONS 0xc0U
#define FIXED_MASK           15ULL /* the four bits of fixed counter 0 */

#define NONE   "the CPU has no counter of instructions"
#define IN_USE "the firmware uses the counters of instructions"

/* The counter in use, and the former values of its registers. */
static struct {
	bool amd, amd_global;
	unsigned index; /* of AMD's counter */
	uint32_t selector;
	uint64_t control, global, value;
} counter;

static uint32_t x86_instructions_cpuid(uint32_t leaf, uint32_t word)
{
	return (uint32_t)arch_reg_read(CPUID_WORD(leaf, word));
}

static const char *x86_instructions_begin_intel(uint64_t *mask)
{
	uint32_t eax = x86_instructions_cpuid(CPUID_PERFMON, CPUID_EAX);
	uint32_t edx = x86_instructions_cpuid(CPUID_PERFMON, CPUID_EDX);
	uint32_t width = edx >> CPUID_PERFMON_FIXED_WIDTH & 0xff;

	if ((eax >> CPUID_PERFMON_VERSION & 0xff) < 2 || !(edx & 0x1f) || !width)
		return NONE;
	counter.control = arch_reg_read(IA32_FIXED_CTR_CTRL);
	counter.global = arch_reg_read(IA32_PERF_GLOBAL_CTRL);
	counter.value = arch_reg_read(IA32_FIXED_CTR0);
	if (counter.control & FIXED_MASK)
		return IN_USE;
	counter.selector = RDPMC_FIXED;
	*mask = width < 64 ? (1ULL << width) - 1 : UINT64_MAX;
	arch_reg_write(IA32_FIXED_CTR0, 0);
	arch_reg_write(IA32_FIXED_CTR_CTRL,
	               counter.control | FIXED_CTR_CTRL_OS | FIXED_CTR_CTRL_USR);
	arch_reg_write(IA32_PERF_GLOBAL_CTRL, counter.global | 1ULL << GLOBAL_FIXED);
	return NULL;
}

static const char *x86_instructions_begin_amd(uint64_t *mask)
{
	unsigned i = 0;

	if (!(x86_instructions_cpuid(CPUID_EXTENDED_FEATURES, CPUID_ECX) &
	      CPUID_EXTENDED_PERF_CTR_CORE))
		return NONE;
	while (i < PERF_COUNTERS && arch_reg_read(PERF_CTL0 + 2 * i) & PERFEVTSEL_EN)
		i++;
	if (i == PERF_COUNTERS)
		return IN_USE;
	counter.index = counter.selector = i;
	counter.control = arch_reg_read(PERF_CTL0 + 2 * i);
	counter.value = arch_reg_read(PERF_CTR0 + 2 * i);
	counter.amd_global = x86_instructions_cpuid(CPUID_EXTENDED_PERFMON, CPUID_EAX) &
	                     CPUID_EXTENDED_PERFMON_V2;
	*mask = (1ULL << PERF_CTR_WIDTH) - 1;
	arch_reg_write(PERF_CTR0 + 2 * i, 0);
	arch_reg_write(PERF_CTL0 + 2 * i,
	               RETIRED_INSTRUCTIONS | PERFEVTSEL_OS | PERFEVTSEL_USR | PERFEVTSEL_EN);
	if (!counter.amd_global)
		return NULL;
	counter.global = arch_reg_read(PERF_CNTR_GLOBAL_CTL);
	arch_reg_write(PERF_CNTR_GLOBAL_CTL, counter.global | 1ULL << i);
	return NULL;
}

static const char *x86_instructions_begin(uint64_t *mask)
{
	uint32_t vendor = x86_instructions_cpuid(0U, CPUID_EBX);

	counter.amd = vendor == CPUID_VENDOR_AUTH;
	if (counter.amd)
		return x86_instructions_begin_amd(mask);
	return vendor == CPUID_VENDOR_GENU ? x86_instructions_begin_intel(mask) : NONE;
}

static uint64_t x86_instructions_read(void)
{
	return arch_rdpmc(counter.selector);
}

static void x86_instructions_end(void)
{
	if (!counter.amd) {
		arch_reg_write(IA32_PERF_GLOBAL_CTRL, counter.global);
		arch_reg_write(IA32_FIXED_CTR_CTRL, counter.control);
		arch_reg_write(IA32_FIXED_CTR0, counter.value);
		return;
	}
	if (counter.amd_global)
		arch_reg_write(PERF_CNTR_GLOBAL_CTL, counter.global);
	arch_reg_write(PERF_CTL0 + 2 * counter.index, counter.control);
	arch_reg_write(PERF_CTR0 + 2 * counter.index, counter.value);
}

const struct instruction_counter x86_instructions = {
	.begin = x86_instructions_begin,
	.read = x86_instructions_read,
	.end = x86_instructions_end,
};
