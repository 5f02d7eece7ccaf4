/* SPDX-License-Identifier: MIT */
/*
 * The fast way of the usual sample, in one piece: the event's period is fixed, it has the fields
 * that `record` asks for, nothing interrupts the handler, and the ring needs no waiting.
 * Comparisons that are necessary anyway find all other cases; those use sampling.h and sample.h.
 */
#ifndef PMU_USUAL_SAMPLE_H
#define PMU_USUAL_SAMPLE_H

#include "pmu/clock/clock.h"
#include "pmu/pmu.h"
#include "pmu/sampling.h"
#include "pmu/throttle.h"
#include "ringbuf/ring_alone.h"

#define USUAL_SAMPLE                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define USUAL_SAMPLE_WORDS 6U

/* The possible fields of a sample_id_all trailer, and those of `record`. */
#define SAMPLE_ID                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define USUAL_SAMPLE_ID (USUAL_SAMPLE & SAMPLE_ID)

/* Fill event->usual; before each start. Thread or IRQ, event not running. */
void usual_sample_prepare(struct perf_event *event);

/* Write the trailer of an event that has the usual fields, with the current time: the same words as
 * sample_id_put(), which usual_sample_test checks. */
RING_FAST void usual_trailer_put(uint64_t *at, const struct perf_event *of)
{
	const struct usual_sample *usual = &of->usual;

	at[0] = usual->tid;
	at[1] = clock_line_stamp(&usual->clock, arch_cycles());
	at[2] = usual->cpu;
	at[3] = of->account.id;
}

/* Write the callchain: nr, then nr addresses. Returns its bytes. */
RING_FAST uint64_t usual_sample_chain(struct usual_sample *usual, const struct arch_regs *regs,
                                      uint64_t *at)
{
	at[0] = callchain_put(&usual->chain, regs, at + 1);
	return 8 + 8 * at[0];
}

/* Write the callchain, if the event has any, and the branch stack. Returns their bytes. NMI. */
uint64_t usual_sample_lists(struct perf_event *event, const struct arch_regs *regs, uint64_t *at);

/* event_overflow() for a handler that nothing interrupts. It writes the same words in the same
 * order as sample_put_usual() and sample_put_unusual() of sample.c; usual_sample_test compares the
 * bytes. */
RING_FAST void event_overflow_alone(struct perf_event *event, const struct arch_regs *regs,
                                    uint64_t now)
{
	struct usual_sample *usual = &event->usual;
	uint64_t *at, time, period, size = 8 * (1 + USUAL_SAMPLE_WORDS), header = usual->header;
	uint64_t position = ring_load(&event->ring->published);

	if (RING_RARE(!ring_is_alone(event->ring, position, usual->most))) {
		event_overflow(event, regs, now);
		return;
	}
	at = ring_place_alone(event->ring, position);
	time = clock_line_stamp(&usual->clock, now);
	period = event->count - event->sampled;
	event->sampled = event->count;
	event->account.period += period;
	at[1] = event->account.id;
	at[2] = arch_regs_pc(regs);
	at[3] = usual->tid;
	at[4] = time;
	at[5] = usual->cpu;
	at[6] = period;
	if (RING_RARE(usual->has_lists)) {
		if (RING_RARE(usual->has_branches))
			size += usual_sample_lists(event, regs, at + 1 + USUAL_SAMPLE_WORDS);
		else
			size += usual_sample_chain(usual, regs, at + 1 + USUAL_SAMPLE_WORDS);
		header += size << 48;
	}
	at[0] = header;
	ring_commit_alone(event->ring, &event->account, position + size);
	if (RING_RARE(throttle_count(&event->throttle, time)))
		throttle_begin(event, time);
}

/* sampling_counted() for a handler that nothing interrupts. Returns the new sampling_left(). */
RING_FAST uint64_t sampling_counted_alone(struct perf_event *event, const struct arch_regs *regs,
                                          uint64_t now)
{
	struct sampling *s = &event->sampling;
	uint64_t late = event->count - s->next; /* huge: the sample is not due yet */

	if (RING_RARE(late >= s->steady)) {
		sampling_counted(event, regs, now);
		return sampling_left(event);
	}
	s->next += s->steady;
	event_overflow_alone(event, regs, now);
	return s->steady - late;
}

#endif
