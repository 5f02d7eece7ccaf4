/* SPDX-License-Identifier: MIT */
/* A modelled PMUv3 on the fake CPU, every event of which happens once a cycle, which is 1 ns. */
#ifndef TESTS_UNIT_PMU_ARM_ARM_PMUV3_MODEL_H
#define TESTS_UNIT_PMU_ARM_ARM_PMUV3_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define ARM_PMUV3_MODELS 2U /* CPUs */

struct arm_pmuv3_model {
	uint64_t pmcr, version, midr, pmmir;
	unsigned counters;                        /* event counters, PMCR.N */
	uint64_t events;                          /* PMCEID: common events 0 to 3FH */
	uint64_t extended;                        /* PMCEID: 4000H to 403FH */
	uint32_t stuck;                           /* counters that do not keep what is written */
	uint32_t enabled, interrupts, overflowed; /* a bit a counter */
	uint64_t user;                            /* PMUSERENR */
	uint64_t selected;                        /* PMSELR */
	uint64_t counter[32], type[32];
	/* A register's access takes so many cycles, in which what runs counts on. */
	uint64_t access;
	uint64_t counted[32]; /* since power on, whatever was written to the counter */
};

/* By fake_cpu_number. */
extern struct arm_pmuv3_model arm_pmuv3_models[ARM_PMUV3_MODELS];

/* New CPUs of version 1 (8.0) with 2 event counters that implement cycles and instructions; all
 * else is unknown, as after reset. */
void arm_pmuv3_model_power_on(void);

/* Let cycles pass; each interrupt comes so many late. */
void arm_pmuv3_model_run(uint64_t cycles, uint64_t late);

#endif
