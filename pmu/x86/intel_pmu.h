/* SPDX-License-Identifier: MIT */
/*
 * Intel's architectural performance monitoring, versions 1 to 5: general counters, fixed
 * counters, overflow interrupt as NMI, so that code with interrupts masked is sampled.
 *
 * Without a modifier both rings count; our own handlers never do: all counters are frozen there.
 * Where CPUs are of two types, cpu// counts on both, cpu_core// and cpu_atom// on their own.
 */
#ifndef PMU_X86_INTEL_PMU_H
#define PMU_X86_INTEL_PMU_H

#include "pmu/pmu.h"

extern const struct pmu pmu_intel, pmu_intel_core, pmu_intel_atom;

#endif
