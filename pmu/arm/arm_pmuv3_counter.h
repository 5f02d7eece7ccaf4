/* SPDX-License-Identifier: MIT */
/* Single counters of a PMUv3, by number, and the state that firmware left them in. */
#ifndef PMU_ARM_ARM_PMUV3_COUNTER_H
#define PMU_ARM_ARM_PMUV3_COUNTER_H

#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/arch.h"
#include "pmu/counter_census.h"

static inline uint32_t arm_pmuv3_bit(unsigned counter)
{
	return 1U << counter % 32; /* there are at most 32 counters */
}

/* Counter CYCLE_COUNTER is the cycle counter. Any context. */
static inline uint64_t arm_pmuv3_read_one(unsigned counter)
{
	return counter == CYCLE_COUNTER ? arch_counter_read(PMCCNTR_EL0)
	                                : arch_counter_read(PMEVCNTR_EL0(counter));
}

static inline void arm_pmuv3_write_one(unsigned counter, uint64_t value)
{
	if (counter == CYCLE_COUNTER)
		arch_counter_write(PMCCNTR_EL0, value);
	else
		arch_counter_write(PMEVCNTR_EL0(counter), value);
}

/* Stop and clear all counters of the calling CPU, which has so many event counters, and find those
 * that are not ours. Interrupts masked. */
void arm_pmuv3_take_census(struct counter_census *census, unsigned counters);

#endif
