/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_TIME_TIMER_H
#define ARCH_X86_64_TIME_TIMER_H

#include "arch/arch.h"

/* Hz; before arch_clock_init() more than any CPU has, so that delays are never too short. */
uint64_t timer_tsc_frequency(void);

/* Handles the timer's interrupt, or any interrupt if the timer has none. IRQ; NMI if it is the
 * HPET's or a counter's. */
void timer_expired(const struct arch_regs *regs);

/* Set up the calling CPU's timer as arch_timer_init() set up the boot CPU's; no effect before
 * that. */
void timer_init_cpu(void);

#endif
