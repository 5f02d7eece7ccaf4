/* SPDX-License-Identifier: MIT */
/*
 * AMD's core counters: four legacy ones, six and more of the extension, and the global registers of
 * PerfMonV2. Overflow as NMI, exact counts and rings as with Intel's (pmu/x86/intel_pmu.h).
 */
#ifndef PMU_X86_AMD_PMU_H
#define PMU_X86_AMD_PMU_H

#include "pmu/pmu.h"

extern const struct pmu pmu_amd;

#endif
