/* SPDX-License-Identifier: MIT */
/*
 * Arm PMUv3: up to 31 event counters, a cycle counter and, with FEAT_PMUv3_ICNTR, an instruction
 * counter on each CPU, with an overflow interrupt.
 *
 * The exception levels that count: without a modifier the levels of the traced code (EL0 and EL1),
 * and never EL2, where bareperf itself runs if the firmware entered it there. With modifiers the
 * named levels; h means EL2.
 */
#ifndef PMU_ARM_ARM_PMUV3_H
#define PMU_ARM_ARM_PMUV3_H

#include "pmu/pmu.h"

extern const struct pmu pmu_arm_pmuv3;

/* No counter: arm_pmuv3_lend(). */
#define ARM_PMUV3_NONE 33U

/* Lend an event counter of to's CPU, the calling one, which no event of this source needs: it
 * counts this common event at every exception level, from 0 on, and causes no interrupt. An event
 * that needs the counter takes it away: arm_pmuv3_is_lent(). alone: only while this source has no
 * event on the CPU. Returns the counter, or ARM_PMUV3_NONE. Between disable() and enable(). */
unsigned arm_pmuv3_lend(struct perf_event *to, uint32_t number, bool alone);
bool arm_pmuv3_is_lent(const struct perf_event *to, unsigned counter);

/* The lent counter's value, and the mask of its bits. Interrupts masked, on the event's CPU. */
uint64_t arm_pmuv3_lent_value(const struct perf_event *to, unsigned counter, uint64_t *mask);

/* Between disable() and enable(). Nothing happens if the counter is not from's any more. */
void arm_pmuv3_give_back(struct perf_event *from, unsigned counter);

#endif
