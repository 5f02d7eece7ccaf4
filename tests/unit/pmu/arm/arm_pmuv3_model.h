/* SPDX-License-Identifier: MIT */
/* A modelled PMUv3 on the fake CPU; every event happens once per cycle, and a cycle is 1 ns. */
#ifndef TESTS_UNIT_PMU_ARM_ARM_PMUV3_MODEL_H
#define TESTS_UNIT_PMU_ARM_ARM_PMUV3_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define ARM_PMUV3_MODELS   2U /* CPUs */
#define ARM_PMUV3_COUNTERS 33U

struct arm_pmuv3_model {
	uint64_t pmcr, version, midr, pmmir;
	unsigned counters;                        /* event counters, PMCR.N */
	uint64_t events;                          /* PMCEID: common events 0 to 3FH */
	uint64_t extended;                        /* PMCEID: 4000H to 403FH */
	bool instructions;                        /* FEAT_PMUv3_ICNTR */
	uint64_t stuck;                           /* counters that do not keep written values */
	uint64_t enabled, interrupts, overflowed; /* a bit per counter */
	uint64_t user;                            /* PMUSERENR */
	uint64_t selected;                        /* PMSELR */
	uint64_t counter[ARM_PMUV3_COUNTERS], type[ARM_PMUV3_COUNTERS];
	/* An access to a register takes so many cycles, during which running counters count. */
	uint64_t access;
	/* events since power-on; writes to the counter do not change it */
	uint64_t counted[ARM_PMUV3_COUNTERS];
};

/* Index: fake_cpu_number. */
extern struct arm_pmuv3_model arm_pmuv3_models[ARM_PMUV3_MODELS];

/* New CPUs of version 1 (8.0) with 2 event counters that implement cycles and instructions; all
 * other state is undefined, as after a reset. */
void arm_pmuv3_model_power_on(void);

/* Let cycles pass; each interrupt is late by so many. */
void arm_pmuv3_model_run(uint64_t cycles, uint64_t late);

#endif
