/* SPDX-License-Identifier: MIT */
/*
 * Intel's branch trace store: the CPU writes a record of every taken branch into memory, SDM
 * volume 3B, 17.4.9. Its buffer is a segment of the AUX area, so nobody copies.
 *
 * The ledger (struct branch_account) is exact where a counter of taken branches is free and the
 * CPU has the events: records + lost = taken + interrupts, of the taken ones returns being ours.
 */
#ifndef PMU_X86_INTEL_BTS_H
#define PMU_X86_INTEL_BTS_H

#include "pmu/pmu.h"

extern const struct pmu pmu_intel_bts;

#endif
