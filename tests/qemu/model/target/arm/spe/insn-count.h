/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm: instructions and branches counted by generated code (CF_BUDGET), for
 * SPE and for the PMU's events.
 */
#ifndef TARGET_ARM_INSN_COUNT_H
#define TARGET_ARM_INSN_COUNT_H

/* Part of CPUARMState; cleared by a reset */
typedef struct ARMInsnCount {
    uint64_t total;         /* instructions counted up to the last fold */
    uint64_t branches;      /* branches, kept by generated code */
    uint64_t pmu_deadline;  /* total at which a PMU counter may overflow */
    int32_t budget_start;   /* CPUState.insn_budget at the last fold */
    bool pmu_counts;        /* a PMU counter counts, at this EL */
} ARMInsnCount;

#endif
