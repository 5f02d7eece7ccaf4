/* SPDX-License-Identifier: MIT */
/* The events of amd_ibs.c: the operations probe and event_init of struct pmu, and the terms.
 * Thread. */
#ifndef PMU_X86_IBS_AMD_IBS_EVENT_H
#define PMU_X86_IBS_AMD_IBS_EVENT_H

#include "pmu/pmu.h"

#define IBS_STEP 16U /* the counters' maxima are multiples of it */

int amd_ibs_probe(const char **why);

/* Also takes the events that perf forwards to IBS: cycles:p, r076:p, r0c1:p. */
int amd_ibs_init_op(struct perf_event *event);
int amd_ibs_init_fetch(struct perf_event *event);

extern const struct pmu_format amd_ibs_op_formats[], amd_ibs_fetch_formats[];

#endif
