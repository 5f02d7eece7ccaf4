/* SPDX-License-Identifier: MIT */
/* branch-trace//: a name for the best branch trace that the machine has. */
#ifndef PMU_X86_BRANCH_TRACE_H
#define PMU_X86_BRANCH_TRACE_H

#include "pmu/pmu.h"

/* Two sources with one name; the first whose hardware is present is used. Each turns the event into
 * one of another source's type, and that source then serves it. */
extern const struct pmu pmu_branch_trace_bts, pmu_branch_trace_step;

#endif
