/* SPDX-License-Identifier: MIT */
#include "agent/tables.h"

#include "command/words.h"
#include "pmu/pmu.h"
#include "workload/workload.h"

const struct command_tables image_tables = {
	.version = BAREPERF_VERSION,
	.sources = { .list = pmu_sources, .is_here = pmu_is_here },
	.workloads = workloads,
	.options = { record_options, stat_options, selftest_options, common_options },
};
