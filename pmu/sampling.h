/* SPDX-License-Identifier: MIT */
/* When the samples of a hardware counter are due, by period or by frequency: the same for every
 * counter of every source. */
#ifndef PMU_SAMPLING_H
#define PMU_SAMPLING_H

#include "pmu/pmu.h"

/* Take the period from event->attr; with neither period nor frequency the event only counts. A
 * frequency starts with the period of an event that happens once per ns; the first samples correct
 * it. If the period is so short that the exit from the handler alone could overflow it, samples
 * that come close in time are set further apart; their PERIODs report the true distance. Returns 0,
 * or -EINVAL if attr asks for a frequency that is 0 or too high. Thread. */
int sampling_init(struct perf_event *event);

/* The distance from event->count to the next sample, at least 1: the value to program a counter
 * with. A sample that fell due while the counter was given away comes with the next event. */
static inline uint64_t sampling_left(const struct perf_event *event)
{
	const struct sampling *s = &event->sampling;
	uint64_t left = s->next > event->count ? s->next - event->count : 1;

	return left < s->least ? s->least : left;
}

/* event->count is up to date and has grown: write a sample if one is due. Its PERIOD is the true
 * distance; the next samples stay on the grid of periods. now: arch_cycles() at the interrupt. IRQ
 * or NMI. */
void sampling_counted(struct perf_event *event, const struct arch_regs *regs, uint64_t now);

/* event->count is up to date, and the event has samples that hardware took and that were written
 * now: choose -F's next period. IRQ or NMI. */
void sampling_drained(struct perf_event *event);

/* The operation `slow` of struct pmu, for sources that use these functions. */
void sampling_slow(struct perf_event *event, uint64_t factor);

/* The tick's check of an active event with a frequency (-F): one that became rare gets a shorter
 * period. now: ns. IRQ. */
void sampling_tick(struct perf_event *event, uint64_t now);

#endif
