/* SPDX-License-Identifier: MIT */
/*
 * Arm's branch records (FEAT_BRBE, Armv9.2) as the branch stacks of the samples of PMUv3: Arm ARM
 * DDI 0487, chapter D18.
 *
 * A CPU has one set of records, which the overflow of any counter freezes (FZP). The handler reads
 * them, forgets them and lets the CPU record again, as Linux's driver does: branches between the
 * overflow and the handler are in no record, so a stack that reached back behind them would have a
 * gap. Entered at EL2, our own code is never recorded. Entered at EL1 it is, and branches between
 * an interrupt and the return from it are in no stack.
 */
#ifndef PMU_ARM_ARM_BRBE_H
#define PMU_ARM_ARM_BRBE_H

#include "pmu/branch_stack.h"
#include "pmu/pmu.h"

/* One per CPU. */
struct arm_brbe {
	unsigned users;
	unsigned depth;  /* records that a stack can have */
	uint64_t type;   /* levels and kinds of all users' branch_sample_type */
	uint64_t filter; /* BRBFCR_EL1 while branches are recorded */
	bool own;        /* our own level is recorded, so our handlers are */
	uint64_t brbfcr, brbcr_el1, brbcr_el2; /* firmware's values */
};
extern struct arm_brbe arm_brbes[TR_MAX_CPUS];

/* Check attr.branch_sample_type. Returns 0; -ENODEV: the calling CPU has no records that we know;
 * -EOPNOTSUPP: the records cannot do that. Both set event->why. Nothing for an event without branch
 * stacks. Thread. */
int arm_brbe_init(struct perf_event *event);

/* Record branches on event->cpu, the calling CPU, until as many del as add. Events share the
 * records: the CPU records what any of them asks for, and branch_stack leaves out what its event
 * did not ask for. Returns 0; -ENODEV: this CPU has no records. Nothing for an event without branch
 * stacks. Interrupts masked. */
int arm_brbe_add(const struct perf_event *event);
void arm_brbe_del(const struct perf_event *event);

/* The overflows are cleared: forget all records, and record again. Any context, interrupts
 * masked. */
void arm_brbe_restart(const struct arm_brbe *u);

static inline void arm_brbe_resume(unsigned cpu)
{
	if (RING_RARE(arm_brbes[cpu].users))
		arm_brbe_restart(&arm_brbes[cpu]);
}

/* The operation branch_stack of struct pmu. */
unsigned arm_brbe_branch_stack(const struct perf_event *event, uint64_t *at);

#endif
