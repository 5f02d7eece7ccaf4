/* SPDX-License-Identifier: MIT */
/* A free event counter of PMUv3 with event 8, INST_RETIRED: Arm ARM DDI 0487, D13. */
#include "pmu/arm/arm_instructions.h"

#include <stddef.h>

#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/arch.h"

#define INST_RETIRED 8U

/* The counter in use, and the former values of its registers. */
static struct {
	unsigned index;
	uint64_t control, type, value;
} counter;

static const char *arm_instructions_begin(uint64_t *mask)
{
	unsigned version = (unsigned)(arch_reg_read(ID_AA64DFR0_EL1) >> ID_AA64DFR0_PMUVER & 0xf);
	uint64_t used;
	unsigned i = 0, count;

	if (version < PMUVER_V3 || version == ID_AA64DFR0_PMUVER_IMP ||
	    !(arch_reg_read(PMCEID0_EL0) >> INST_RETIRED & 1))
		return "the CPU has no counter of instructions";
	counter.control = arch_reg_read(PMCR_EL0);
	count = (unsigned)(counter.control >> PMCR_N & PMCR_N_MASK);
	used = arch_reg_read(PMCNTENSET_EL0) | arch_reg_read(PMINTENSET_EL1);
	while (i < count && used >> i & 1)
		i++;
	if (i == count)
		return "the firmware uses all event counters, or EL2 keeps them";
	counter.index = i;
	counter.type = arch_reg_read(PMEVTYPER_EL0(i));
	counter.value = arch_reg_read(PMEVCNTR_EL0(i));
	*mask = UINT32_MAX; /* from PMUv3p5 on a counter has more bits */
	arch_reg_write(PMEVCNTR_EL0(i), 0);
	arch_reg_write(PMEVTYPER_EL0(i), INST_RETIRED | PMEVTYPER_NSH);
	arch_reg_write(PMCR_EL0, counter.control | PMCR_E);
	arch_reg_write(PMCNTENSET_EL0, 1ULL << i);
	arch_reg_sync();
	return NULL;
}

static uint64_t arm_instructions_read(void)
{
	uint64_t value;

	arch_reg_sync();
	value = arch_counter_read(PMEVCNTR_EL0(counter.index));
	arch_reg_sync();
	return value;
}

static void arm_instructions_end(void)
{
	arch_reg_write(PMCNTENCLR_EL0, 1ULL << counter.index);
	arch_reg_sync();
	arch_reg_write(PMCR_EL0, counter.control);
	arch_reg_write(PMEVTYPER_EL0(counter.index), counter.type);
	arch_reg_write(PMEVCNTR_EL0(counter.index), counter.value);
	arch_reg_write(PMOVSCLR_EL0, 1ULL << counter.index);
	arch_reg_sync();
}

const struct instruction_counter arm_instructions = {
	.begin = arm_instructions_begin,
	.read = arm_instructions_read,
	.end = arm_instructions_end,
};
