/* SPDX-License-Identifier: MIT */
#ifndef PMU_SOFTWARE_CPU_CLOCK_H
#define PMU_SOFTWARE_CPU_CLOCK_H

#include "pmu/pmu.h"
#include "pmu/timer.h"

/* The driver's data for an event. */
struct hw_cpu_clock {
	struct timer timer;
	uint64_t period; /* cycles between samples; 0: it only counts */
	uint64_t left;   /* cycles to the next sample, while stopped */
	uint64_t since;  /* cycles at the last update of count */
	bool running;
};
EVENT_HW(struct hw_cpu_clock, cpu_clock_of)

/* Time on the CPU in ns, PERF_TYPE_SOFTWARE / PERF_COUNT_SW_CPU_CLOCK; samples by period (ns)
 * or frequency (Hz), 1 us at the shortest. */
extern const struct pmu pmu_cpu_clock;

#endif
