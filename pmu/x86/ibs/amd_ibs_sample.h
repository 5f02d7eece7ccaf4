/* SPDX-License-Identifier: MIT */
/* A sample from the registers of AMD's instruction-based sampling. */
#ifndef PMU_X86_IBS_AMD_IBS_SAMPLE_H
#define PMU_X86_IBS_AMD_IBS_SAMPLE_H

#include "pmu/sample.h"

struct amd_ibs_sample {
	struct sample_precise precise;
	uint64_t address; /* of the access; 0: none, or unknown */
	uint64_t latency; /* of a load that missed the first cache, cycles; else 0 */
	uint64_t raw[SAMPLE_RAW_WORDS];
};

/* The CPU's features: EAX of CPUID 8000001BH; 0: it has no IBS. */
uint32_t amd_ibs_features(void);

/* Read the sample that the registers hold; ctl is the control register's value, features
 * amd_ibs_features(). Only the registers that the event's sample_type needs are read. The place's
 * stack is that of regs, which may be NULL. The raw words begin with perf's u32 size and u32
 * features. Handler or interrupts masked, sampling stopped. */
void amd_ibs_read_op(struct amd_ibs_sample *sample, const struct perf_event *event, uint64_t ctl,
                     uint32_t features, const struct arch_regs *regs);
void amd_ibs_read_fetch(struct amd_ibs_sample *sample, const struct perf_event *event, uint64_t ctl,
                        uint32_t features, const struct arch_regs *regs);

/* perf's union perf_mem_data_src for an op's IBS_OP_DATA2 and IBS_OP_DATA3. */
uint64_t amd_ibs_data_src(uint64_t data2, uint64_t data3, uint32_t features);

#endif
