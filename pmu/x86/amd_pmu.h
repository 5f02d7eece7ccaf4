/* SPDX-License-Identifier: MIT */
/*
 * AMD's core counters: four legacy ones, six or more of the extension, and the global registers of
 * PerfMonV2. Overflows raise NMIs; counts and rings work as with Intel's counters
 * (pmu/x86/intel_pmu.h).
 */
#ifndef PMU_X86_AMD_PMU_H
#define PMU_X86_AMD_PMU_H

#include "pmu/pmu.h"

extern const struct pmu pmu_amd;

#endif
