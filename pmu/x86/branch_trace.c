/* SPDX-License-Identifier: MIT */
#include "pmu/x86/branch_trace.h"

#include "pmu/software/branch_trace.h"
#include "pmu/x86/intel_bts.h"

static int branch_trace_probe_bts(const char **why)
{
	return pmu_intel_bts.probe(why);
}

const struct pmu pmu_branch_trace_bts = {
	.source.name = BRANCH_TRACE_NAME,
	.source.description = "the best branch trace there is: bts",
	.source.type = PERF_TYPE_INTEL_BTS,
	.source.flags = PMU_AUX | PMU_EVERY,
	.probe = branch_trace_probe_bts,
	.event_init = branch_trace_init,
};
