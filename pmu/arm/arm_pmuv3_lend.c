/* SPDX-License-Identifier: MIT */
/* Counters that no event needs, lent to SPE. */
#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_pmuv3_counters.h"

uint64_t arm_pmuv3_free_counters(unsigned cpu)
{
	uint64_t which = counter_census[cpu].present & ~counter_census[cpu].foreign;

	for (unsigned i = 0; i < COUNTERS; i++)
		which &= arm_pmuv3_cpus[cpu].owners[i] ? ~arm_pmuv3_bit(i) : UINT64_MAX;
	return which;
}

/* SPE borrows from the upper end, by need, so it needs the lowest counter least. */
bool arm_pmuv3_reclaim(struct arm_pmuv3_cpu *cpu)
{
	unsigned counter;

	if (!cpu->lent)
		return false;
	counter = (unsigned)__builtin_ctz(cpu->lent);
	arch_reg_write(PMCNTENCLR_EL0, arm_pmuv3_bit(counter));
	arch_reg_sync();
	cpu->owners[counter] = NULL;
	cpu->lent &= ~(uint32_t)arm_pmuv3_bit(counter);
	return true;
}

static bool arm_pmuv3_has_event(const struct arm_pmuv3_cpu *cpu)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		if (cpu->owners[i] && !(cpu->lent & arm_pmuv3_bit(i)))
			return true;
	return false;
}

unsigned arm_pmuv3_lend(struct perf_event *to, uint32_t number, bool alone)
{
	struct arm_pmuv3_cpu *cpu = &arm_pmuv3_cpus[to->cpu];
	uint32_t which;
	const char *why;

	if (arm_pmuv3_probe(&why) || arm_pmuv3_prepare_cpu(to->cpu) ||
	    !arm_pmuv3_implements(&cpu->unit, number) || (alone && arm_pmuv3_has_event(cpu)))
		return COUNTERS;
	which = (uint32_t)(arm_pmuv3_free_counters(to->cpu) & ~ARM_PMUV3_FIXED);
	if (!which)
		return COUNTERS;
	which = 1U << (31 - __builtin_clz(which));
	cpu->lent |= which;
	cpu->lent_alone = alone;
	cpu->owners[__builtin_ctz(which)] = to;
	arch_reg_write(PMEVTYPER_EL0(__builtin_ctz(which)), number | PMEVTYPER_NSH);
	arm_pmuv3_write_one((unsigned)__builtin_ctz(which), 0);
	arch_reg_write(PMCNTENSET_EL0, which);
	arch_reg_sync();
	return (unsigned)__builtin_ctz(which);
}

void arm_pmuv3_give_back(struct perf_event *from, unsigned counter)
{
	struct arm_pmuv3_cpu *cpu = &arm_pmuv3_cpus[from->cpu];

	if (counter == COUNTERS || cpu->owners[counter] != from)
		return;
	arch_reg_write(PMCNTENCLR_EL0, arm_pmuv3_bit(counter));
	arch_reg_sync();
	cpu->owners[counter] = NULL;
	cpu->lent &= ~(uint32_t)arm_pmuv3_bit(counter);
}

bool arm_pmuv3_is_lent(const struct perf_event *to, unsigned counter)
{
	return counter != COUNTERS && arm_pmuv3_cpus[to->cpu].owners[counter] == to;
}

uint64_t arm_pmuv3_lent_value(const struct perf_event *to, unsigned counter, uint64_t *mask)
{
	*mask = arm_pmuv3_cpus[to->cpu].unit.long_events ? UINT64_MAX : UINT32_MAX;
	return arm_pmuv3_read_one(counter);
}
