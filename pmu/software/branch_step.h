/* SPDX-License-Identifier: MIT */
/*
 * Records every taken branch by single-step, for machines without a branch trace store: the same
 * records in the same place, at the cost of an exception for each instruction. The ledger is exact:
 * each record that finds no room is counted.
 */
#ifndef PMU_SOFTWARE_BRANCH_STEP_H
#define PMU_SOFTWARE_BRANCH_STEP_H

#include "pmu/branch_area.h"
#include "pmu/pmu.h"

/* The driver's data for an event. */
struct hw_branch_step {
	struct branch_area area;
};
EVENT_HW(struct hw_branch_step, branch_step_of)

extern const struct pmu pmu_branch_step;

#endif
