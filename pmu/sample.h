/* SPDX-License-Identifier: MIT */
#ifndef PMU_SAMPLE_H
#define PMU_SAMPLE_H

#include "pmu/clock.h"
#include "pmu/pmu.h"

/* What the firmware can put into a sample. */
#define SAMPLE_TYPES_SERVED                                                             \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN)

/* pid of everything: the image is perf's one process, a CPU is its thread. */
#define SAMPLE_PID 1U
static inline uint32_t sample_tid(unsigned cpu)
{
	return SAMPLE_PID + cpu;
}

/* Values of one sample that only the source knows. */
struct sample_data {
	uint64_t time; /* ns */
	uint64_t period;
	uint64_t addr;
};

/* Write one PERF_RECORD_SAMPLE of event, charged to its account. Any context on its CPU. */
void sample_output(struct perf_event *event, const struct arch_regs *regs,
                   const struct sample_data *data);

/* The sample_id_all trailer that a side-band record of event ends with: perf's order, TID,
 * TIME, ID, STREAM_ID, CPU, IDENTIFIER as sample_type has them. Size in bytes. */
unsigned sample_id_size(uint64_t sample_type);
uint64_t *sample_id_put(uint64_t *at, const struct perf_event *event, uint64_t time);

/* Its fields, and those that `record` asks for. */
#define SAMPLE_ID_FIELDS                                                               \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define SAMPLE_ID_USUAL \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Two u32 in a record's word: the first is at the lower address. */
static inline uint64_t sample_pair(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

/* That trailer as of now, if the event has one. */
static inline void sample_put_trailer(uint64_t *at, const struct perf_event *of)
{
	uint64_t time = clock_stamp_of(of->cpu, arch_cycles());

	if (RING_RARE((of->attr.sample_type & SAMPLE_ID_FIELDS) != SAMPLE_ID_USUAL)) {
		if (of->account.trailer_size)
			sample_id_put(at, of, time);
		return;
	}
	at[0] = sample_pair(SAMPLE_PID, sample_tid(of->cpu));
	at[1] = time;
	at[2] = sample_pair(of->cpu, 0);
	at[3] = of->account.id;
}

/* An event's account.trailer: that. */
void sample_trailer(const struct ring_account *account, void *to);

#endif
