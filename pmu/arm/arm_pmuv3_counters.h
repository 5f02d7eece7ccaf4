/* SPDX-License-Identifier: MIT */
/* Each CPU's counters and their owners, for the files of this driver. */
#ifndef PMU_ARM_ARM_PMUV3_COUNTERS_H
#define PMU_ARM_ARM_PMUV3_COUNTERS_H

#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/arm/arm_pmuv3.h"
#include "pmu/arm/arm_pmuv3_config.h"
#include "pmu/arm/arm_pmuv3_counter.h"
#include "pmu/counter_census.h"

#define COUNTERS ARM_PMUV3_NONE

/* The data that each CPU's handler needs. */
struct arm_pmuv3_cpu {
	struct perf_event *owners[COUNTERS]; /* by counter; a chained pair has two entries */
	uint64_t pmcr;                       /* PMCR_EL0's value while all counters are stopped */
	bool prepared, frozen;               /* frozen: between disable and enable */
	bool hides;                          /* handlers at EL1 stop the counters */
	bool lent_alone;                     /* lent only while no event is counted */
	uint32_t lent;                       /* counters that SPE borrows */
	struct arm_pmuv3_unit unit;          /* the unit at the CPU's last preparation */
} __attribute__((aligned(64)));

extern struct arm_pmuv3_cpu arm_pmuv3_cpus[TR_MAX_CPUS];

/* The counters that are not in use, one bit each. */
uint64_t arm_pmuv3_free_counters(unsigned cpu);

/* Take the counter away from SPE that it needs least. Returns false if it has none. */
bool arm_pmuv3_reclaim(struct arm_pmuv3_cpu *cpu);

/* Clear the calling CPU's counters when its first event comes, and connect the interrupt. Returns 0
 * or a negative errno. Interrupts masked. */
int arm_pmuv3_prepare_cpu(unsigned number);

#endif
