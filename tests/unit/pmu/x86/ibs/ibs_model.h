/* SPDX-License-Identifier: MIT */
/* A fake AMD CPU with instruction-based sampling: its registers, with their reserved bits, and the
 * APIC's extended table. */
#ifndef TESTS_UNIT_PMU_X86_IBS_IBS_MODEL_H
#define TESTS_UNIT_PMU_X86_IBS_IBS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define ZEN_2 0x3ffU /* EAX of CPUID 8000001BH */
#define ZEN_4 0xbffU
#define ZEN_5 0x1bffU

#define IBS_MODEL_REGISTERS 14U /* from IBS_FETCH_CTL on */
#define IBS_MODEL_ENTRY     2U  /* of the extended table */

struct ibs_model {
	uint32_t features, vendor;
	uint64_t registers[IBS_MODEL_REGISTERS]; /* those with counters: without these */
	uint64_t ops, fetches;                   /* the counters */
	uint64_t lvt[16];
	unsigned random; /* the CPU puts it into the counter of ops at each sample */
	unsigned faults;
};
extern struct ibs_model ibs_model;

/* The machine after a reset, with the rig on it. */
void ibs_model_power_on(uint32_t features);

/* The register by its MSR. */
uint64_t *ibs_model_register(uint32_t msr);

/* Let this many ops and fetches pass. Returns whether a sample interrupts. */
bool ibs_model_count_on(uint64_t events);

#endif
