/* SPDX-License-Identifier: MIT */
#include "pmu/arm/arm_pmuv3_counter.h"

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
void arm_pmuv3_take_census(struct counter_census *census, unsigned counters)
{
	census->present = ((1ULL << counters) - 1) | arm_pmuv3_bit(CYCLE_COUNTER);
	if (arch_reg_read(PMCR_EL0) & PMCR_E)
		census->leftovers |= arch_reg_read(PMCNTENSET_EL0) & census->present;
	arch_reg_write(PMCR_EL0, PMCR_P | PMCR_C);
	arch_reg_sync();
	arch_reg_write(PMCNTENCLR_EL0, UINT32_MAX);
	arch_reg_write(PMINTENCLR_EL1, UINT32_MAX);
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	arch_reg_write(PMUSERENR_EL0, 0);
	arch_reg_sync();
	census->foreign = 0;
	for (uint64_t left = census->present; left; left &= left - 1)
		if (arm_pmuv3_is_foreign((unsigned)__builtin_ctzll(left)))
			census->foreign |= left & -left;
}
