/* SPDX-License-Identifier: MIT */
/* The operations that SPE could sample, counted by counters of the core PMU that no event needs
 * (sampled_operations of pmu/precise.h). On the event's CPU with interrupts masked. */
#ifndef PMU_ARM_ARM_SPE_COUNTS_H
#define PMU_ARM_ARM_SPE_COUNTS_H

#include "pmu/pmu.h"

/* Before SPE samples. */
void arm_spe_counts_start(struct perf_event *event);

/* At least once while a counter of 32 bits goes round; each tick does so. Also in handlers. */
void arm_spe_counts_read(struct perf_event *event);

/* After SPE has stopped. */
void arm_spe_counts_stop(struct perf_event *event);

#endif
