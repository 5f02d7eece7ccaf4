/* SPDX-License-Identifier: MIT */
#ifndef PMU_SOFTWARE_CPU_CLOCK_H
#define PMU_SOFTWARE_CPU_CLOCK_H

#include "pmu/pmu.h"

/* Time on the CPU in ns, PERF_TYPE_SOFTWARE / PERF_COUNT_SW_CPU_CLOCK; samples by period (ns)
 * or frequency (Hz), 1 us at the shortest. */
extern const struct pmu pmu_cpu_clock;

#endif
