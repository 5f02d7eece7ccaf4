/* SPDX-License-Identifier: MIT */
/*
 * Arm PMUv3: up to 31 event counters and a cycle counter on each CPU, with an overflow interrupt.
 *
 * Which levels count: without a modifier the code that is traced (EL0 and EL1) and, entered at
 * EL2, never ourselves; with modifiers what they name, h being EL2.
 */
#ifndef PMU_ARM_ARM_PMUV3_H
#define PMU_ARM_ARM_PMUV3_H

#include "pmu/pmu.h"

extern const struct pmu pmu_arm_pmuv3;

#endif
