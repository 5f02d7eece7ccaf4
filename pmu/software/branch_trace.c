/* SPDX-License-Identifier: MIT */
#include "pmu/software/branch_trace.h"

#include <errno.h>

#include "pmu/software/branch_step.h"

static int branch_trace_probe_step(const char **why)
{
	return pmu_branch_step.probe(why);
}

int branch_trace_init(struct perf_event *event)
{
	(void)event;
	return -ENOENT;
}

const struct pmu pmu_branch_trace_step = {
	.source.name = BRANCH_TRACE_NAME,
	.source.description = "the best branch trace there is: branch-step",
	.source.type = PERF_TYPE_BRANCH_STEP,
	.source.flags = PMU_AUX | PMU_EVERY,
	.probe = branch_trace_probe_step,
	.event_init = branch_trace_init,
};
