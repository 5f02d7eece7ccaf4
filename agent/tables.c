/* SPDX-License-Identifier: MIT */
#include "agent/tables.h"

#include "agent/parse/words.h"
#include "pmu/pmu.h"

const struct command_tables image_tables = {
	.version = BAREPERF_VERSION,
	.sources = pmu_sources,
	.workloads = workloads,
	.options = { record_options, stat_options, common_options },
};
