/* SPDX-License-Identifier: MIT */
/* Records in perf's layout: semantics of perf_event_open(2), PERF_RECORD_SAMPLE. */
#include "pmu/sample.h"

#include "pmu/callchain.h"
#include "pmu/read_format.h"

/* Fields that are one u64 each in a sample, whatever their number. */
#define ONE_WORD                                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)
#define ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Number of bits set, without a library call on any ISA. */
static unsigned words(uint64_t fields)
{
	unsigned n = 0;

	for (; fields; fields &= fields - 1)
		n++;
	return n;
}

/* Two u32 in a record's word: the first is at the lower address. */
static uint64_t pair(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

unsigned sample_id_size(uint64_t sample_type)
{
	return 8 * words(sample_type & ID_FIELDS);
}

uint64_t *sample_id_put(uint64_t *at, const struct perf_event *event, uint64_t time)
{
	uint64_t type = event->attr.sample_type;

	if (type & PERF_SAMPLE_TID)
		*at++ = pair(SAMPLE_PID, sample_tid(event->cpu));
	if (type & PERF_SAMPLE_TIME)
		*at++ = time;
	if (type & PERF_SAMPLE_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_CPU)
		*at++ = pair(event->cpu, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		*at++ = event->account.id;
	return at;
}

/* The fields of one word each, in the record's order. */
static uint64_t *put_words(uint64_t *at, const struct perf_event *event,
                           const struct arch_regs *regs, const struct sample_data *data)
{
	uint64_t type = event->attr.sample_type;

	if (type & PERF_SAMPLE_IDENTIFIER)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_IP)
		*at++ = arch_regs_pc(regs);
	if (type & PERF_SAMPLE_TID)
		*at++ = pair(SAMPLE_PID, sample_tid(event->cpu));
	if (type & PERF_SAMPLE_TIME)
		*at++ = data->time;
	if (type & PERF_SAMPLE_ADDR)
		*at++ = data->addr;
	if (type & PERF_SAMPLE_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_STREAM_ID)
		*at++ = event->account.id;
	if (type & PERF_SAMPLE_CPU)
		*at++ = pair(event->cpu, 0);
	if (type & PERF_SAMPLE_PERIOD)
		*at++ = data->period;
	return at;
}

void sample_output(struct perf_event *event, const struct arch_regs *regs,
                   const struct sample_data *data)
{
	uint64_t type = event->attr.sample_type;
	uint64_t chain[CALLCHAIN_MAX + 2];
	unsigned frames = 0;
	uint32_t size = sizeof(struct perf_event_header) + 8 * words(type & ONE_WORD);
	struct ring_output out;
	uint64_t *at;

	if (type & PERF_SAMPLE_CALLCHAIN) {
		frames = callchain_collect(regs, chain, event->attr.sample_max_stack);
		size += 8 * (1 + frames);
	}
	if (type & PERF_SAMPLE_READ)
		size += read_format_size(event);
	at = ring_reserve_sample(&out, event->ring, &event->account, size, data->period);
	if (!at)
		return;
	*at++ = pair(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | size << 16);
	at = put_words(at, event, regs, data);
	if (type & PERF_SAMPLE_READ)
		at = read_format_put(at, event, data->time);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		*at++ = frames;
		for (unsigned i = 0; i < frames; i++)
			*at++ = chain[i];
	}
	ring_commit(&out);
}
