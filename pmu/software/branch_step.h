/* SPDX-License-Identifier: MIT */
/*
 * Every taken branch by single-step, for machines without a branch trace store: the same records
 * in the same place, at the price of an exception for each instruction. The ledger is exact: what
 * finds no room is counted one by one.
 */
#ifndef PMU_SOFTWARE_BRANCH_STEP_H
#define PMU_SOFTWARE_BRANCH_STEP_H

#include "pmu/branch_area.h"
#include "pmu/pmu.h"

/* Its data for an event. */
struct hw_branch_step {
	struct branch_area area;
};
EVENT_HW(struct hw_branch_step, branch_step_of)

extern const struct pmu pmu_branch_step;

#endif
