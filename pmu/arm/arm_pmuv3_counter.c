/* SPDX-License-Identifier: MIT */
#include "pmu/arm/arm_pmuv3_counter.h"

#include "pmu/arm/arm_pmuv3.h"

/* A counter that we may use keeps a written value while it is stopped. */
static bool arm_pmuv3_is_foreign(unsigned counter)
{
	static const uint64_t values[] = { 0x5a5a5a5a, 0 };

	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		arm_pmuv3_write_one(counter, values[i]);
		arch_reg_sync();
		if (arm_pmuv3_read_one(counter) != values[i])
			return true;
	}
	return false;
}

/* After reset all bits but PMCR.E are unknown (D13.1.3), and a counter counts only with PMCR.E
 * set. */
void arm_pmuv3_take_census(struct counter_census *census, const struct arm_pmuv3_unit *unit)
{
	uint64_t all = UINT32_MAX;

	census->present = ((1ULL << unit->counters) - 1) | arm_pmuv3_bit(CYCLE_COUNTER);
	if (unit->instructions) {
		census->present |= arm_pmuv3_bit(INSTRUCTION_COUNTER);
		all |= arm_pmuv3_bit(INSTRUCTION_COUNTER);
	}
	if (arch_reg_read(PMCR_EL0) & PMCR_E)
		census->leftovers |= arch_reg_read(PMCNTENSET_EL0) & census->present;
	arch_reg_write(PMCR_EL0, PMCR_P | PMCR_C);
	arch_reg_sync();
	arch_reg_write(PMCNTENCLR_EL0, all);
	arch_reg_write(PMINTENCLR_EL1, all);
	arch_reg_write(PMOVSCLR_EL0, all);
	arch_reg_write(PMUSERENR_EL0, 0);
	arch_reg_sync();
	census->foreign = 0;
	for (uint64_t left = census->present; left; left &= left - 1)
		if (arm_pmuv3_is_foreign((unsigned)__builtin_ctzll(left)))
			census->foreign |= left & -left;
}

unsigned arm_pmuv3_fixed_counter(const struct perf_event *event, uint64_t free)
{
	uint32_t number = (uint32_t)arm_pmuv3_of(event)->type & PMEVTYPER_EVENT_MASK;

	if (!arm_pmuv3_is_plain(event))
		return ARM_PMUV3_NONE;
	if (number == EVENT_CPU_CYCLES && free & arm_pmuv3_bit(CYCLE_COUNTER))
		return CYCLE_COUNTER;
	if (number == EVENT_INST_RETIRED && free & arm_pmuv3_bit(INSTRUCTION_COUNTER))
		return INSTRUCTION_COUNTER;
	return ARM_PMUV3_NONE;
}

/* The event CHAIN counts overflows of the lower counter at every exception level. */
void arm_pmuv3_configure(const struct hw_arm_pmuv3 *hw)
{
	if (hw->counter == CYCLE_COUNTER) {
		arch_reg_write(PMCCFILTR_EL0, hw->type & ~PMEVTYPER_EVENT_MASK);
	} else if (hw->counter == INSTRUCTION_COUNTER) {
		arch_reg_write(PMICFILTR_EL0, hw->type & ~PMEVTYPER_EVENT_MASK);
	} else if (hw->chained) {
		arch_reg_write(PMEVTYPER_EL0(hw->counter), EVENT_CHAIN | PMEVTYPER_NSH);
		arch_reg_write(PMEVTYPER_EL0(hw->counter - 1), hw->type);
	} else {
		arch_reg_write(PMEVTYPER_EL0(hw->counter), hw->type);
	}
}
