/* SPDX-License-Identifier: MIT */
/*
 * branch-trace//: a name for the best branch trace that the machine has. Several sources have this
 * name; the first whose hardware is present is used. Each turns the event into one of another
 * source's type, and that source then serves it.
 */
#ifndef PMU_SOFTWARE_BRANCH_TRACE_H
#define PMU_SOFTWARE_BRANCH_TRACE_H

#include "pmu/pmu.h"

#define BRANCH_TRACE_NAME "branch-trace"

/* event_init of these sources. Returns -ENOENT: the source that has the type checks the event. */
int branch_trace_init(struct perf_event *event);

/* By single-step: listed behind those by hardware. */
extern const struct pmu pmu_branch_trace_step;

#endif
