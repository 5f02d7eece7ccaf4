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

#include "pmu/branch_area.h"
#include "pmu/pmu.h"

/* Its data for an event. */
struct hw_intel_bts {
	struct branch_area area;
	uint64_t debugctl; /* while it traces */
	uint64_t gap;      /* taken branches when it stopped for lack of room */
	bool running;      /* it traces, into area's open segment */
	uint32_t usual;    /* while it runs, ARCH_ENTERED_* of an interrupt of its own; else 0 */
	const uint32_t *asked; /* the event's, or one that never changes */
	bool ring0;            /* chosen: deliveries and returns of our handlers leave it */
	bool counters;         /* of taken branches */
};
EVENT_HW(struct hw_intel_bts, intel_bts_of)

extern const struct pmu pmu_intel_bts;

#endif
