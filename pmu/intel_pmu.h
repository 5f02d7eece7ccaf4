/* SPDX-License-Identifier: MIT */
/*
 * Intel's architectural performance monitoring, versions 1 to 5: general counters, fixed
 * counters, overflow interrupt as NMI, so that code with interrupts masked is sampled.
 *
 * Without a modifier both rings count; our own handlers never do: all counters are frozen there.
 */
#ifndef PMU_INTEL_PMU_H
#define PMU_INTEL_PMU_H

#include "pmu/pmu.h"

extern const struct pmu pmu_intel;

/* Route the overflow interrupt to us, for who needs it without a counter. 0 or arch_pmi_init()'s
 * error. Thread. */
int intel_pmu_take_interrupt(void);

/* Overflow interrupts that found no counter overflowed, on this CPU since boot. Any context. */
uint64_t intel_pmu_spurious(unsigned cpu);

#endif
