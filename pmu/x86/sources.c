/* SPDX-License-Identifier: MIT */
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
#include "pmu/x86/x86_bench.h"
#include "pmu/x86/x86_instructions.h"

/* Hardware sources first: they take the generic events that they can count. */
const struct pmu_source *const pmu_sources[] = {
	&pmu_intel.source,
	&pmu_intel_core.source,
	&pmu_intel_atom.source,
	&pmu_ibs_op.source, /* takes cycles:p */
	&pmu_ibs_fetch.source,
	&pmu_amd.source,
	&pmu_intel_bts.source,
	&pmu_branch_step.source,
	&pmu_branch_trace_bts.source,
	&pmu_branch_trace_step.source,
	&pmu_cpu_clock.source,
	&pmu_marks.source,
	NULL,
};

const struct bench_counters *const bench_counters = &x86_bench_counters;
const struct instruction_counter *const instruction_counter = &x86_instructions;
