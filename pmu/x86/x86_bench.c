/* SPDX-License-Identifier: MIT */
/* Intel's and AMD's counters for microbenchmarks: SDM volume 3B, 20.2; APM volume 2, 13.2. */
#include "pmu/x86/x86_bench.h"

#include "arch/arch.h"
#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/perfmon.h"

#define MOST_GENERAL 16U
#define MOST_FIXED   4U
#define CORE_CYCLES  1U /* the fixed counter of unhalted core cycles */

static uint32_t x86_bench_cpuid(uint32_t reg)
{
	return (uint32_t)arch_reg_read(reg);
}

static uint64_t x86_bench_mask(uint32_t width)
{
	return width && width < 64 ? (1ULL << width) - 1 : UINT32_MAX;
}

static void x86_bench_look_intel(struct bench_unit *unit)
{
	uint32_t eax = x86_bench_cpuid(CPUID_WORD(CPUID_PERFMON, CPUID_EAX));
	uint32_t edx = x86_bench_cpuid(CPUID_WORD(CPUID_PERFMON, CPUID_EDX));
	uint32_t version = eax >> CPUID_PERFMON_VERSION & 0xff;
	uint32_t general = eax >> CPUID_PERFMON_COUNTERS & 0xff, fixed = edx & 0x1f;

	unit->vendor = BENCH_UNIT_INTEL;
	if (version < 2) /* no global control */
		return;
	unit->general = general < MOST_GENERAL ? general : MOST_GENERAL;
	unit->fixed = (1U << (fixed < MOST_FIXED ? fixed : MOST_FIXED)) - 1;
	unit->general_mask = x86_bench_mask(eax >> CPUID_PERFMON_WIDTH & 0xff);
	unit->fixed_mask = x86_bench_mask(edx >> CPUID_PERFMON_FIXED_WIDTH & 0xff);
	unit->gates = unit->general && unit->fixed & 1U << CORE_CYCLES;
	unit->freezes = x86_bench_cpuid(CPUID_WORD(CPUID_FEATURES, CPUID_ECX)) &
	                    CPUID_FEATURES_PDCM &&
	                arch_reg_read(IA32_PERF_CAPABILITIES) & PERF_CAPABILITIES_FREEZE;
	unit->froze = unit->freezes && arch_reg_read(IA32_DEBUGCTL) & DEBUGCTL_FREEZE_WHILE_SMM;
}

static void x86_bench_look_amd(struct bench_unit *unit)
{
	uint32_t ecx = x86_bench_cpuid(CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX));
	uint32_t eax = x86_bench_cpuid(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EAX));
	uint32_t ebx = x86_bench_cpuid(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EBX));

	unit->vendor = BENCH_UNIT_AMD;
	if (!(ecx & CPUID_EXTENDED_PERF_CTR_CORE))
		return;
	unit->general = PERF_COUNTERS;
	if (eax & CPUID_EXTENDED_PERFMON_V2 && (ebx & 0xf) > PERF_COUNTERS)
		unit->general = ebx & 0xf;
	unit->general_mask = x86_bench_mask(PERF_CTR_WIDTH);
}

static void x86_bench_look(struct bench_unit *unit)
{
	uint32_t vendor = x86_bench_cpuid(CPUID_WORD(0U, CPUID_EBX));

	*unit = (struct bench_unit){ .vendor = BENCH_UNIT_NONE };
	if (vendor == CPUID_VENDOR_GENU)
		x86_bench_look_intel(unit);
	else if (vendor == CPUID_VENDOR_AUTH)
		x86_bench_look_amd(unit);
	unit->aperf = x86_bench_cpuid(CPUID_WORD(CPUID_POWER, CPUID_ECX)) & CPUID_POWER_APERF;
}

/* MSRs of general counter i. */
static uint32_t x86_bench_select(const struct bench_unit *unit, unsigned i)
{
	return unit->vendor == BENCH_UNIT_INTEL ? IA32_PERFEVTSEL0 + i : PERF_CTL0 + 2 * i;
}

static uint32_t x86_bench_value(const struct bench_unit *unit, unsigned i)
{
	return unit->vendor == BENCH_UNIT_INTEL ? IA32_PMC0 + i : PERF_CTR0 + 2 * i;
}

/* Whether the CPU has AMD's global registers. */
static bool x86_bench_has_amd_global(void)
{
	return x86_bench_cpuid(CPUID_WORD(CPUID_EXTENDED_PERFMON, CPUID_EAX)) &
	       CPUID_EXTENDED_PERFMON_V2;
}

static void x86_bench_set_global(const struct bench_unit *unit, uint64_t value)
{
	if (unit->vendor == BENCH_UNIT_INTEL && (unit->general || unit->fixed))
		arch_reg_write(IA32_PERF_GLOBAL_CTRL, value);
	else if (unit->vendor == BENCH_UNIT_AMD && x86_bench_has_amd_global())
		arch_reg_write(PERF_CNTR_GLOBAL_CTL, value);
}

/* So that counts stay right if a system management interrupt comes. */
static void x86_bench_freeze(const struct bench_unit *unit, bool starts)
{
	uint64_t control;

	if (!unit->freezes || unit->froze)
		return;
	control = arch_reg_read(IA32_DEBUGCTL) & ~DEBUGCTL_FREEZE_WHILE_SMM;
	arch_reg_write(IA32_DEBUGCTL, control | (starts ? DEBUGCTL_FREEZE_WHILE_SMM : 0));
}

/* Counters freeze when one of them overflows and asks for an interrupt: SDM volume 3B, 17.4.7. */
static void x86_bench_freeze_at_overflow(const struct bench_unit *unit, bool freezes)
{
	uint64_t control = unit->gates ? arch_reg_read(IA32_DEBUGCTL) : 0;

	if (freezes)
		arch_reg_write(IA32_DEBUGCTL, control | DEBUGCTL_FREEZE_PERFMON_ON_PMI);
	else if (control & DEBUGCTL_FREEZE_PERFMON_ON_PMI)
		arch_reg_write(IA32_DEBUGCTL, control & ~DEBUGCTL_FREEZE_PERFMON_ON_PMI);
}

static void x86_bench_zero(const struct bench_unit *unit)
{
	for (unsigned i = 0; i < unit->general; i++)
		arch_reg_write(x86_bench_value(unit, i), 0);
	for (unsigned i = 0; unit->fixed >> i; i++)
		arch_reg_write(IA32_FIXED_CTR0 + i, 0);
}

/* Overflow bits of all counters, and from version 4 on the state that holds them (20.2.4). */
static void x86_bench_thaw(const struct bench_unit *unit)
{
	uint32_t version = x86_bench_cpuid(CPUID_WORD(CPUID_PERFMON, CPUID_EAX)) & 0xff;
	uint64_t bits = ((1ULL << unit->general) - 1) | (uint64_t)unit->fixed << GLOBAL_FIXED;

	arch_reg_write(IA32_PERF_GLOBAL_OVF_CTRL,
	               bits | (version >= 4 ? GLOBAL_STATUS_CTR_FRZ : 0));
}

static void x86_bench_stop(const struct bench_unit *unit)
{
	x86_bench_freeze(unit, false);
	x86_bench_freeze_at_overflow(unit, false);
	x86_bench_set_global(unit, 0);
	if (unit->fixed)
		arch_reg_write(IA32_FIXED_CTR_CTRL, 0);
	for (unsigned i = 0; i < unit->general; i++) {
		arch_reg_write(x86_bench_select(unit, i), 0);
	}
	x86_bench_zero(unit);
}

/* Everything but the counters' common enable, whose value is returned. control: bits of
 * IA32_FIXED_CTR_CTRL that are set in any case. */
static uint64_t x86_bench_set_up(const struct bench_unit *unit, const struct bench_task *tasks,
                                 unsigned count, bool user, uint64_t control)
{
	uint64_t global = 0;
	uint64_t event = unit->vendor == BENCH_UNIT_INTEL ? PERFEVTSEL_EVENT : PERF_CTL_EVENT;

	x86_bench_stop(unit);
	for (unsigned i = 0; i < count; i++) {
		const struct bench_task *task = &tasks[i];

		if (task->fixed) {
			global |= 1ULL << (GLOBAL_FIXED + task->index);
			control |= (FIXED_CTR_CTRL_USR | (user ? 0 : FIXED_CTR_CTRL_OS))
			           << 4 * task->index;
			continue;
		}
		global |= 1ULL << task->index;
		arch_reg_write(x86_bench_select(unit, task->index),
		               (task->config & event) | (user ? 0 : PERFEVTSEL_OS) |
		                   PERFEVTSEL_USR | PERFEVTSEL_EN);
	}
	x86_bench_freeze(unit, true);
	if (control)
		arch_reg_write(IA32_FIXED_CTR_CTRL, control);
	return global;
}

static void x86_bench_start(const struct bench_unit *unit, const struct bench_task *tasks,
                            unsigned count, bool user)
{
	x86_bench_set_global(unit, x86_bench_set_up(unit, tasks, count, user, 0));
}

static uint64_t x86_bench_gate(const struct bench_unit *unit, const struct bench_task *tasks,
                               unsigned count, bool user, uint32_t *reg)
{
	uint64_t cycles = FIXED_CTR_CTRL_PMI | FIXED_CTR_CTRL_OS | FIXED_CTR_CTRL_USR;
	uint64_t global = x86_bench_set_up(unit, tasks, count, user, cycles << 4 * CORE_CYCLES);

	x86_bench_freeze_at_overflow(unit, true);
	*reg = IA32_PERF_GLOBAL_CTRL;
	return global | 1ULL << (GLOBAL_FIXED + CORE_CYCLES);
}

/* The counter's first value, from which `cycle` cycles lead to its greatest one; the next cycle is
 * the overflow. */
static uint64_t x86_bench_first(const struct bench_unit *unit, uint32_t cycle)
{
	return cycle == UINT32_MAX ? 0 : unit->fixed_mask - cycle;
}

static void x86_bench_arm(const struct bench_unit *unit, uint32_t cycle)
{
	x86_bench_set_global(unit, 0);
	x86_bench_zero(unit);
	arch_reg_write(IA32_FIXED_CTR0 + CORE_CYCLES, x86_bench_first(unit, cycle));
	x86_bench_thaw(unit);
}

static uint64_t x86_bench_read(const struct bench_unit *unit, const struct bench_task *task,
                               uint32_t cycle)
{
	uint64_t value;

	if (!task->fixed)
		return arch_reg_read(x86_bench_value(unit, task->index));
	value = arch_reg_read(IA32_FIXED_CTR0 + task->index);
	return task->index == CORE_CYCLES
	           ? (value - x86_bench_first(unit, cycle)) & unit->fixed_mask
	           : value;
}

static uint32_t x86_bench_selector(const struct bench_task *task)
{
	return task->fixed ? RDPMC_FIXED | task->index : task->index;
}

const struct bench_counters x86_bench_counters = {
	.look = x86_bench_look,
	.start = x86_bench_start,
	.stop = x86_bench_stop,
	.gate = x86_bench_gate,
	.arm = x86_bench_arm,
	.read = x86_bench_read,
	.selector = x86_bench_selector,
};
