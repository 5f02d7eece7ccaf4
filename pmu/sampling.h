/* SPDX-License-Identifier: MIT */
/* When the samples of a hardware counter are due, by period or by frequency: the same for every
 * counter of every source. */
#ifndef PMU_SAMPLING_H
#define PMU_SAMPLING_H

#include "pmu/pmu.h"

/* Take the period from attr; a frequency starts as if the event happened once a ns, and the first
 * samples tell. shortest: below this the way out of the handler would overflow by itself. 0, or
 * -EINVAL if attr asks for a shorter one, or none. */
int sampling_init(struct sampling *sampling, const struct perf_event_attr *attr, uint64_t shortest);

/* The event starts to count: its next sample is a period away. Thread. */
void sampling_start(const struct perf_event *event, struct sampling *sampling);

/* event->count is up to date and has grown: write a sample if one is due. Its PERIOD is the true
 * distance, the grid of periods stays. now: arch_cycles() at the interrupt. IRQ or NMI. */
void sampling_counted(struct perf_event *event, struct sampling *sampling,
                      const struct arch_regs *regs, uint64_t now);

#endif
