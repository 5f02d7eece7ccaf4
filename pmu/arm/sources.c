/* SPDX-License-Identifier: MIT */
#include "pmu/arm/arm_bench.h"
#include "pmu/arm/arm_instructions.h"
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_spe.h"
#include "pmu/pmu.h"
#include "pmu/software/branch_step.h"
#include "pmu/software/branch_trace.h"
#include "pmu/software/cpu_clock.h"
#include "pmu/software/marks.h"

/* Hardware sources first: they take the generic events that they can count. */
const struct pmu_source *const pmu_sources[] = {
	&pmu_arm_pmuv3.source,
	&pmu_arm_spe.source,
	&pmu_branch_step.source,
	&pmu_branch_trace_step.source,
	&pmu_cpu_clock.source,
	&pmu_marks.source,
	NULL,
};

const struct bench_counters *const bench_counters = &arm_bench_counters;
const struct instruction_counter *const instruction_counter = &arm_instructions;
