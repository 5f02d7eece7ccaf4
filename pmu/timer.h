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

/* How many each CPU has had; written there, by them. */
extern uint64_t timer_interrupts[TR_MAX_CPUS];

/* Have gate called as the first thing of each timer interrupt, on every CPU, before the time is
 * taken; NULL: no more. Thread. */
void timer_set_gate(void (*gate)(const struct arch_regs *regs));

/* So many cycles did not pass for this CPU's timers: each is due as much later. Interrupts masked,
 * IRQ but for expire(), or NMI that interrupted no handler. */
void timer_put_off(uint64_t cycles);

/* Queue timer on this CPU for deadline; it must not be queued. Interrupts masked, or IRQ. */
void timer_start(struct timer *timer, uint64_t deadline);

/* The same from inside expire(): the hardware is armed once, when all expired timers ran. */
void timer_restart(struct timer *timer, uint64_t deadline);

/* Take timer out of this CPU's queue; was it there? Interrupts masked, or IRQ. */
bool timer_cancel(struct timer *timer);

#endif
