/* SPDX-License-Identifier: MIT */
/*
 * Saves and restores the firmware's performance monitor state. A hypervisor may refuse registers
 * that CPUID reports, so all accesses may fault: a missing register reads 0, and a write to it has
 * no effect.
 */
#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "arch/x86_64/saved.h"

static uint32_t perfmon_cpuid(uint32_t word)
{
	return (uint32_t)arch_reg_read(word);
}

static void perfmon_add(struct perfmon_saved *s, uint32_t reg)
{
	if (s->count == PERFMON_SAVED)
		return;
	s->registers[s->count].reg = reg;
	s->registers[s->count++].value = arch_reg_read(reg);
}

static unsigned perfmon_bits(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1U << bits) - 1);
}

/* First the global switch, then the event selects, then the counters. */
static void saved_save_intel_counters(struct perfmon_saved *s)
{
	uint32_t eax = perfmon_cpuid(CPUID_WORD(CPUID_PERFMON, CPUID_EAX));
	uint32_t edx = perfmon_cpuid(CPUID_WORD(CPUID_PERFMON, CPUID_EDX));
	unsigned general = perfmon_bits(eax, CPUID_PERFMON_COUNTERS, 5);
	unsigned version = perfmon_bits(eax, CPUID_PERFMON_VERSION, 8);
	uint32_t fixed = (1U << perfmon_bits(edx, CPUID_PERFMON_FIXED, 5)) - 1;
	bool wide = arch_reg_read(IA32_PERF_CAPABILITIES) & PERF_CAPABILITIES_FW_WRITE;

	if (!version)
		return;
	if (version >= 5)
		fixed |= perfmon_cpuid(CPUID_WORD(CPUID_PERFMON, CPUID_ECX));
	perfmon_add(s, IA32_PERF_GLOBAL_CTRL);
	perfmon_add(s, IA32_FIXED_CTR_CTRL);
	for (unsigned i = 0; i < general; i++)
		perfmon_add(s, IA32_PERFEVTSEL0 + i);
	for (; fixed; fixed &= fixed - 1)
		perfmon_add(s, IA32_FIXED_CTR0 + (unsigned)__builtin_ctz(fixed));
	for (unsigned i = 0; i < general; i++)
		perfmon_add(s, (wide ? IA32_A_PMC0 : IA32_PMC0) + i);
}

static void saved_save_intel(struct perfmon_saved *s)
{
	uint32_t edx = perfmon_cpuid(CPUID_WORD(CPUID_FEATURES, CPUID_EDX));

	saved_save_intel_counters(s);
	perfmon_add(s, IA32_DEBUGCTL);
	if (!(edx & CPUID_FEATURES_DS))
		return;
	perfmon_add(s, IA32_PEBS_ENABLE);
	perfmon_add(s, IA32_DS_AREA);
}

static void saved_save_amd(struct perfmon_saved *s)
{
	bool core = perfmon_cpuid(CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX)) &
	            CPUID_EXTENDED_PERF_CTR_CORE;
	bool global = perfmon_cpuid(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EAX)) &
	              CPUID_EXTENDED_PERFMON_V2;
	unsigned counters = core ? PERF_COUNTERS : PERF_LEGACY_COUNTERS;

	if (global) {
		perfmon_add(s, PERF_CNTR_GLOBAL_CTL);
		counters =
		    perfmon_bits(perfmon_cpuid(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EBX)),
		                 CPUID_EXTENDED_PERFMON_COUNTERS, 4);
	}
	for (unsigned i = 0; i < counters; i++)
		perfmon_add(s, core ? PERF_CTL0 + 2 * i : PERF_LEGACY_CTL0 + i);
	for (unsigned i = 0; i < counters; i++)
		perfmon_add(s, core ? PERF_CTR0 + 2 * i : PERF_LEGACY_CTR0 + i);
	perfmon_add(s, IA32_DEBUGCTL);
}

/* Every real AMD CPU has the four legacy counters, which CPUID does not report. */
bool perfmon_has_counters(void)
{
	uint32_t vendor = perfmon_cpuid(CPUID_WORD(0U, CPUID_EBX));
	uint32_t eax = perfmon_cpuid(CPUID_WORD(CPUID_PERFMON, CPUID_EAX));

	if (vendor == CPUID_VENDOR_GENU)
		return perfmon_bits(eax, CPUID_PERFMON_VERSION, 8) &&
		       perfmon_bits(eax, CPUID_PERFMON_COUNTERS, 8);
	return vendor == CPUID_VENDOR_AUTH &&
	       (perfmon_cpuid(CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX)) &
	            CPUID_EXTENDED_PERF_CTR_CORE ||
	        !(perfmon_cpuid(CPUID_WORD(CPUID_FEATURES, CPUID_ECX)) &
	          CPUID_FEATURES_HYPERVISOR));
}

void perfmon_save(struct perfmon_saved *saved)
{
	uint32_t vendor = perfmon_cpuid(CPUID_WORD(0U, CPUID_EBX));

	saved->count = 0;
	if (vendor == CPUID_VENDOR_GENU)
		saved_save_intel(saved);
	else if (vendor == CPUID_VENDOR_AUTH)
		saved_save_amd(saved);
}

/* Counters before their event selects, and the global switch last. */
void perfmon_restore(const struct perfmon_saved *saved)
{
	if (saved->count)
		arch_reg_write(saved->registers[0].reg, 0);
	for (unsigned i = saved->count; i > 0; i--)
		arch_reg_write(saved->registers[i - 1].reg, saved->registers[i - 1].value);
}
