/* SPDX-License-Identifier: MIT */
/*
 * Intel's last branch records (LBR): the CPU keeps its newest taken branches in registers, and the
 * samples of its counters carry them (PERF_SAMPLE_BRANCH_STACK). Serves records by model from
 * Nehalem on (formats 3 to 7), and the architectural ones.
 *
 * A CPU has one set of records and one filter, so all its events share them. Records are frozen at
 * the overflow's interrupt, and off in our handlers. The branches that lead into a handler and out
 * of it take places among the records, but are in no stack.
 */
#ifndef PMU_X86_INTEL_LBR_H
#define PMU_X86_INTEL_LBR_H

#include "pmu/pmu.h"

/* These do nothing for an event without branch stacks. */

/* Check attr.branch_sample_type. Returns 0; -ENODEV: this CPU has no records that we know;
 * -EOPNOTSUPP: its filter cannot do that. Both set event->why. Thread. */
int intel_lbr_init(struct perf_event *event);

/* Record branches on event->cpu, the calling CPU, until as many del as add. add forgets earlier
 * branches if there was no user. Returns 0; -EBUSY: another event uses another filter, or a branch
 * trace runs; -ENODEV: none of the registers is there. Interrupts masked. */
int intel_lbr_add(const struct perf_event *event);
void intel_lbr_del(const struct perf_event *event);

/* The operation branch_stack of struct pmu. */
unsigned intel_lbr_branch_stack(const struct perf_event *event, uint64_t *at);

#endif
