/* SPDX-License-Identifier: MIT */
/*
 * Arm PMUv3: up to 31 event counters and a cycle counter on each CPU, with an overflow interrupt.
 *
 * The exception levels that count: without a modifier the levels of the traced code (EL0 and EL1),
 * and never EL2, where bareperf itself runs if the firmware entered it there. With modifiers the
 * named levels; h means EL2.
 */
#ifndef PMU_ARM_ARM_PMUV3_H
#define PMU_ARM_ARM_PMUV3_H

#include "pmu/pmu.h"

extern const struct pmu pmu_arm_pmuv3;

#endif
