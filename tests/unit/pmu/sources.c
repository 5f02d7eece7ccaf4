/* SPDX-License-Identifier: MIT */
/* The unit tests have the sources of every architecture. */
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_spe.h"
#include "pmu/pmu.h"
#include "pmu/software/branch_step.h"
#include "pmu/software/branch_trace.h"
#include "pmu/software/cpu_clock.h"
#include "pmu/software/marks.h"
#include "pmu/x86/amd_pmu.h"
#include "pmu/x86/branch_trace.h"
#include "pmu/x86/ibs/amd_ibs.h"
#include "pmu/x86/intel_bts.h"
#include "pmu/x86/intel_pmu.h"

/* Hardware first: it gets the generic events that it can count. */
const struct pmu_source *const pmu_sources[] = {
	&pmu_intel.source,
	&pmu_intel_core.source,
	&pmu_intel_atom.source,
	&pmu_ibs_op.source,
	&pmu_ibs_fetch.source,
	&pmu_amd.source,
	&pmu_arm_pmuv3.source,
	&pmu_arm_spe.source,
	&pmu_intel_bts.source,
	&pmu_branch_step.source,
	&pmu_branch_trace_bts.source,
	&pmu_branch_trace_step.source,
	&pmu_cpu_clock.source,
	&pmu_marks.source,
	NULL,
};
