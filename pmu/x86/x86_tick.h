/* SPDX-License-Identifier: MIT */
/*
 * Where the timer has no interrupt (arch_timer_lacks()): a counter of cycles, beside those that the
 * user asks for and as long as these are somebody's, whose overflows come more often than the tick.
 * One CPU's: such a machine has no other of ours.
 */
#ifndef PMU_X86_X86_TICK_H
#define PMU_X86_X86_TICK_H

#include "pmu/x86/x86_counters.h"

/* The counters have become ours, and stand still. 0; -EAGAIN: none of them counts cycles.
 * Interrupts masked. */
int x86_tick_begin(unsigned cpu, const struct x86_monitor *monitor);

/* The counter, as a bit; 0: none. */
uint64_t x86_tick_counter(void);

/* Nobody else has any. Interrupts masked. */
void x86_tick_end(void);

#endif
