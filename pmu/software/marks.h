/* SPDX-License-Identifier: MIT */
#ifndef PMU_SOFTWARE_MARKS_H
#define PMU_SOFTWARE_MARKS_H

#include "pmu/pmu.h"

/* Marks of the traced program, one sample each: pmu/mark.h. At most one such event per CPU. */
extern const struct pmu pmu_marks;

#endif
