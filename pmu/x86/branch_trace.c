/* SPDX-License-Identifier: MIT */
#include "pmu/x86/branch_trace.h"

#include <errno.h>

#include "pmu/software/branch_step.h"
#include "pmu/x86/intel_bts.h"

#define NAME "branch-trace"

static int branch_trace_probe_bts(const char **why)
{
	return pmu_intel_bts.probe(why);
}

static int branch_trace_probe_step(const char **why)
{
	return pmu_branch_step.probe(why);
}

/* Only turns the name into a type; the source that has the type checks the event. */
static int branch_trace_init(struct perf_event *event)
{
	(void)event;
	return -ENOENT;
}

const struct pmu pmu_branch_trace_bts = {
	.source.name = NAME,
	.source.description = "the best branch trace there is: bts",
	.source.type = PERF_TYPE_INTEL_BTS,
	.source.flags = PMU_AUX | PMU_EVERY,
	.probe = branch_trace_probe_bts,
	.event_init = branch_trace_init,
};

const struct pmu pmu_branch_trace_step = {
	.source.name = NAME,
	.source.description = "the best branch trace there is: branch-step",
	.source.type = PERF_TYPE_BRANCH_STEP,
	.source.flags = PMU_AUX | PMU_EVERY,
	.probe = branch_trace_probe_step,
	.event_init = branch_trace_init,
};
