/* SPDX-License-Identifier: MIT */
/* branch-trace// by the branch trace store (pmu/software/branch_trace.h). */
#ifndef PMU_X86_BRANCH_TRACE_H
#define PMU_X86_BRANCH_TRACE_H

#include "pmu/pmu.h"

extern const struct pmu pmu_branch_trace_bts;

#endif
