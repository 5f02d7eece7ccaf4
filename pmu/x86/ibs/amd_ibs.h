/* SPDX-License-Identifier: MIT */
/*
 * AMD's instruction-based sampling (IBS) as two event sources, ibs_op and ibs_fetch, with perf's
 * terms; ibs_op also takes cycles:p. The CPU tags an op (or a fetch) when its counter is full,
 * keeps its results in registers, and interrupts by an entry of the APIC's extended table.
 * APM (24593) volume 2, 13.3.
 *
 * The hardware does not tell privilege levels apart. A sample of another level than the event's, or
 * of one of our handlers, is counted as foreign in precise_ledgers. If the event excludes a level,
 * event->count has only the intervals whose samples passed; else it has all of them.
 */
#ifndef PMU_X86_IBS_AMD_IBS_H
#define PMU_X86_IBS_AMD_IBS_H

#include "pmu/pmu.h"

/* An event's data. */
struct hw_amd_ibs {
	uint64_t config;   /* of the control register: what does not change with the period */
	uint64_t distance; /* of the sample from base */
	uint64_t passed;   /* counted since base before the counter was last started */
	uint64_t start;    /* the counter's value then */
	uint64_t base;     /* event->count at the last sample */
	uint64_t latency;  /* the least latency in cycles that a sample must exceed; 0: any */
};
EVENT_HW(struct hw_amd_ibs, amd_ibs_of)

extern const struct pmu pmu_ibs_op;
extern const struct pmu pmu_ibs_fetch;

#endif
