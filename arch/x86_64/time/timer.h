/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_TIME_TIMER_H
#define ARCH_X86_64_TIME_TIMER_H

#include "arch/arch.h"

/* Hz; before arch_clock_init() more than any CPU has, so that delays are never too short. */
uint64_t timer_tsc_frequency(void);

/* Its interrupt, or anybody's where it has none. IRQ; NMI where it is the HPET's, or a counter's.
 */
void timer_expired(const struct arch_regs *regs);

/* Set up the calling CPU's timer as arch_timer_init() did the boot CPU's; nothing before that. */
void timer_init_cpu(void);

#endif
