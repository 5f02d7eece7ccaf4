/* SPDX-License-Identifier: MIT */
/* Single counters of a PMUv3, by number, and the state that firmware left them in. */
#ifndef PMU_ARM_ARM_PMUV3_COUNTER_H
#define PMU_ARM_ARM_PMUV3_COUNTER_H

#include "arch/aarch64/pmu/pmuv3.h"
#include "arch/arch.h"
#include "pmu/arm/arm_pmuv3_config.h"
#include "pmu/counter_census.h"

static inline uint64_t arm_pmuv3_bit(unsigned counter)
{
	return 1ULL << counter % 64; /* there are at most 33 counters */
}

/* Bits of all counters but event counters. */
#define ARM_PMUV3_FIXED (1ULL << CYCLE_COUNTER | 1ULL << INSTRUCTION_COUNTER)

static inline bool arm_pmuv3_is_fixed(unsigned counter)
{
	return counter >= CYCLE_COUNTER;
}

/* A counter by its number: also CYCLE_COUNTER, INSTRUCTION_COUNTER. Any context. */
static inline uint64_t arm_pmuv3_read_one(unsigned counter)
{
	if (counter == CYCLE_COUNTER)
		return arch_counter_read(PMCCNTR_EL0);
	if (counter == INSTRUCTION_COUNTER)
		return arch_counter_read(PMICNTR_EL0);
	return arch_counter_read(PMEVCNTR_EL0(counter));
}

static inline void arm_pmuv3_write_one(unsigned counter, uint64_t value)
{
	if (counter == CYCLE_COUNTER)
		arch_counter_write(PMCCNTR_EL0, value);
	else if (counter == INSTRUCTION_COUNTER)
		arch_counter_write(PMICNTR_EL0, value);
	else
		arch_counter_write(PMEVCNTR_EL0(counter), value);
}

/* Stop and clear all counters of the calling CPU, which is such a unit, and find those that are not
 * ours. Interrupts masked. */
void arm_pmuv3_take_census(struct counter_census *census, const struct arm_pmuv3_unit *unit);

/* The counter that counts only this event, the bits of free counters given; ARM_PMUV3_NONE: there
 * is none, or it is in use. As in Linux's driver. */
unsigned arm_pmuv3_fixed_counter(const struct perf_event *event, uint64_t free);

/* Write the event's type, its filter included, to its counter's register, or to its pair's. */
void arm_pmuv3_configure(const struct hw_arm_pmuv3 *hw);

#endif
