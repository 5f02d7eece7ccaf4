/* SPDX-License-Identifier: MIT */
/*
 * A replacement for the timer interrupt on machines where the timer has none (arch_timer_lacks()):
 * a cycle counter, beside the user's counters and while these are in use, that overflows more often
 * than the tick. One CPU only: such a machine lets bareperf use no other.
 */
#ifndef PMU_X86_X86_TICK_H
#define PMU_X86_X86_TICK_H

#include "pmu/x86/x86_counters.h"

/* The counters were taken into use and are stopped: claim one that counts cycles. Returns 0;
 * -EAGAIN: no counter counts cycles. Interrupts masked. */
int x86_tick_begin(unsigned cpu, const struct x86_monitor *monitor);

/* The claimed counter, as a bit; 0: none. */
uint64_t x86_tick_counter(void);

/* All events have given their counters back: give back this one. Interrupts masked. */
void x86_tick_end(void);

#endif
