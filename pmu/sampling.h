/* SPDX-License-Identifier: MIT */
/* When the samples of a hardware counter are due, by period or by frequency: the same for every
 * counter of every source. */
#ifndef PMU_SAMPLING_H
#define PMU_SAMPLING_H

#include "pmu/pmu.h"

/* Take the period from event->attr; with neither period nor frequency the event only counts. A
 * frequency starts as if the event happened once a ns, and the first samples tell. Of a period that
 * is shorter than the way out of the handler may be, samples that come close in time are further
 * apart than that: their PERIODs say how far. 0, or -EINVAL if attr asks for a frequency that is
 * too high, or for none. Thread. */
int sampling_init(struct perf_event *event);

/* How far event->count is from the next sample, at least 1: what a counter is programmed with. A
 * sample that fell due while the counter was being taken away comes with the next event. */
static inline uint64_t sampling_left(const struct perf_event *event)
{
	const struct sampling *s = &event->sampling;
	uint64_t left = s->next > event->count ? s->next - event->count : 1;

	return left < s->least ? s->least : left;
}

/* event->count is up to date and has grown: write a sample if one is due. Its PERIOD is the true
 * distance, the grid of periods stays. now: arch_cycles() at the interrupt. IRQ or NMI. */
void sampling_counted(struct perf_event *event, const struct arch_regs *regs, uint64_t now);

/* struct pmu's slow: a source's whose samples are due by this. */
void sampling_slow(struct perf_event *event, uint64_t factor);

/* The tick's look at an active event: where -F lacks its samples, because the event became rare,
 * a shorter period. now: ns. IRQ. */
void sampling_tick(struct perf_event *event, uint64_t now);

#endif
