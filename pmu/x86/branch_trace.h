/* SPDX-License-Identifier: MIT */
/* branch-trace//: a name for the best branch trace that the machine has. */
#ifndef PMU_X86_BRANCH_TRACE_H
#define PMU_X86_BRANCH_TRACE_H

#include "pmu/pmu.h"

/* Of sources with one name, the first that is here is meant; each makes an event of another
 * source's type, which then serves it. */
extern const struct pmu pmu_branch_trace_bts, pmu_branch_trace_step;

#endif
