/* SPDX-License-Identifier: MIT */
/*
 * Housekeeping on each traced CPU, by bareperf or beside firmware: at most 1 ms apart (later only
 * where interrupts are masked), it publishes the ledgers and looks for the host's requests.
 */
#ifndef PMU_TICK_H
#define PMU_TICK_H

#include "pmu/timer.h"

#define TICK_NS 1000000ULL

/* One CPU's tick; costs are in cycles and count work() alone, not the interrupt's entry. */
struct tick {
	struct timer timer;
	uint64_t interval;
	/* The work of the tick; regs: the interrupted code. Bounded. IRQ. */
	void (*work)(struct tick *tick, const struct arch_regs *regs);
	uint64_t count, cycles, longest;
};

/* Start and stop ticking on this CPU. Interrupts masked. */
void tick_start(struct tick *tick, void (*work)(struct tick *tick, const struct arch_regs *regs));
void tick_stop(struct tick *tick);

#endif
