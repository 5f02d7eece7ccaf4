/* SPDX-License-Identifier: MIT */
#ifndef PMU_SOFTWARE_MARKS_H
#define PMU_SOFTWARE_MARKS_H

#include "pmu/pmu.h"

/* What the traced program says of itself, a sample each: pmu/mark.h. One event a CPU. */
extern const struct pmu pmu_marks;

/* Whether an event is of marks: with a sample_period they are recorded, else counted. */
static inline bool marks_is_event(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

#endif
