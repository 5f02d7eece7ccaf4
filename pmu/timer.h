/* SPDX-License-Identifier: MIT */
/* Several deadlines on a CPU's one hardware timer. */
#ifndef PMU_TIMER_H
#define PMU_TIMER_H

#include "abi/trace_region.h"
#include "arch/arch.h"

struct timer {
	uint64_t deadline; /* arch_cycles() */
	/* Called in IRQ context at or after the deadline, the timer no longer queued; now is
	 * one reading of arch_cycles() for all that expire together. */
	void (*expire)(struct timer *timer, const struct arch_regs *regs, uint64_t now);
	struct timer *next;
};

/* Route this CPU's hardware timer to the queue. 0 or arch_timer_init()'s error. Thread. */
int timer_init(void);

/* The number of timer interrupts of each CPU; each CPU writes its own entry. */
extern uint64_t timer_interrupts[TR_MAX_CPUS];

/* Call gate first in each timer interrupt, on every CPU, before the time is read; NULL: none.
 * Thread. */
void timer_set_gate(void (*gate)(const struct arch_regs *regs));

/* Delay all timers of this CPU by so many cycles, which did not pass for them. Interrupts masked,
 * IRQ except in expire(), or an NMI that interrupted no handler. */
void timer_put_off(uint64_t cycles);

/* Queue timer on this CPU for deadline; it must not be queued. Interrupts masked, or IRQ. */
void timer_start(struct timer *timer, uint64_t deadline);

/* The same from inside expire(): the hardware is armed once, when all expired timers ran. */
void timer_restart(struct timer *timer, uint64_t deadline);

/* Remove timer from this CPU's queue; returns whether it was queued. Interrupts masked, or IRQ. */
bool timer_cancel(struct timer *timer);

#endif
