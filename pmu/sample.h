/* SPDX-License-Identifier: MIT */
#ifndef PMU_SAMPLE_H
#define PMU_SAMPLE_H

#include "pmu/pmu.h"

/* The fields that the firmware can put into a sample. */
#define SAMPLE_TYPES_SERVED                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |    \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |     \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |     \
	 PERF_SAMPLE_PHYS_ADDR)

#define SAMPLE_RAW_WORDS 12U /* the most of RAW, its size included */

/* The hardware's own record of an instruction. */
struct sample_precise {
	struct callchain_place place; /* the sampled instruction, and the stack after it */
	uint64_t weight;              /* perf's union perf_sample_weight */
	uint64_t data_src;            /* perf's union perf_mem_data_src */
	const uint64_t *raw;          /* RAW: its words, which begin with its size; or NULL */
	bool inexact;                 /* place is the interrupt's, not the instruction's */
};

/* Values of one sample that only the source knows. */
struct sample_data {
	uint64_t time; /* ns */
	uint64_t period;
	uint64_t addr;
	const struct sample_precise *precise; /* replaces regs; NULL: there is none */
};

/* Write one PERF_RECORD_SAMPLE of event, charged to its account. Any context on its CPU. */
void sample_output(struct perf_event *event, const struct arch_regs *regs,
                   const struct sample_data *data);

/* Bytes of the longest sample that event can write. Thread. */
uint32_t sample_size_most(const struct perf_event *event);

/* The sample_id_all trailer at the end of each side-band record of event: TID, TIME, ID, STREAM_ID,
 * CPU, IDENTIFIER in perf's order, as far as sample_type has them. Returns its size in bytes. */
unsigned sample_id_size(uint64_t sample_type);
uint64_t *sample_id_put(uint64_t *at, const struct perf_event *event, uint64_t time);

/* Two u32 in a record's word: the first is at the lower address. */
static inline uint64_t sample_pair(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

/* An event's account.trailer: writes that trailer with the current time. */
void sample_trailer(const struct ring_account *account, void *to);

#endif
