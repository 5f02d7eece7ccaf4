/* SPDX-License-Identifier: MIT */
/*
 * Intel's architectural performance monitoring, versions 1 to 5: general counters, fixed counters,
 * and overflow interrupts as NMIs, so that code with interrupts masked is sampled too.
 *
 * Without a modifier both rings count. Our own handlers never count, because all counters are
 * frozen in them. On a machine with two types of CPUs cpu// counts on both types, cpu_core// and
 * cpu_atom// on one each.
 */
#ifndef PMU_X86_INTEL_PMU_H
#define PMU_X86_INTEL_PMU_H

#include "pmu/pmu.h"

extern const struct pmu pmu_intel, pmu_intel_core, pmu_intel_atom;

#endif
