/* SPDX-License-Identifier: MIT */
/*
 * Intel's branch trace store: the CPU writes a record of every taken branch into memory, SDM volume
 * 3B, 17.4.9. Its buffer is a segment of the AUX area, so no record is copied.
 *
 * The ledger (struct branch_account) is exact if two counters are free and the CPU can count taken
 * branches: records + lost = taken + interrupts. The taken branches include `returns`, the returns
 * from our handlers.
 */
#ifndef PMU_X86_INTEL_BTS_H
#define PMU_X86_INTEL_BTS_H

#include "pmu/branch_area.h"
#include "pmu/pmu.h"

/* The driver's data for an event. */
struct hw_intel_bts {
	struct branch_area area;
	uint64_t debugctl;     /* IA32_DEBUGCTL's value while it traces */
	uint64_t gap;          /* taken branches at the moment when it stopped for lack of room */
	bool running;          /* it traces into area's open segment */
	uint32_t usual;        /* ARCH_ENTERED_* of its own interrupt while it runs; else 0 */
	const uint32_t *asked; /* the request word of the event, or one that never changes */
	bool ring0;            /* traced: it has our interrupts' deliveries and returns */
	bool counters;         /* taken branches are counted */
};
EVENT_HW(struct hw_intel_bts, intel_bts_of)

extern const struct pmu pmu_intel_bts;

#endif
