/* SPDX-License-Identifier: MIT */
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_spe.h"
#include "pmu/pmu.h"
#include "pmu/software/branch_step.h"
#include "pmu/software/cpu_clock.h"
#include "pmu/x86/amd_pmu.h"
#include "pmu/x86/branch_trace.h"
#include "pmu/x86/intel_bts.h"
#include "pmu/x86/intel_pmu.h"

/* Hardware first: it takes the generic events that it can count. */
const struct pmu *const pmu_sources[] = {
	&pmu_intel,
	&pmu_intel_core,
	&pmu_intel_atom,
	&pmu_amd,
	&pmu_arm_pmuv3,
	&pmu_arm_spe,
	&pmu_intel_bts,
	&pmu_branch_step,
	&pmu_branch_trace_bts,
	&pmu_branch_trace_step,
	&pmu_cpu_clock,
	NULL,
};
