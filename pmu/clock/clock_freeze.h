/* SPDX-License-Identifier: MIT */
/*
 * The clock is frozen while all traced CPUs stall for room (`--lossless=freeze`): clock_now() and
 * the records' TIME exclude the time from when the last CPU stalled to when the first one
 * continued.
 *
 *	CPU 0	────────┐ stalls                              ┌─ continues ──
 *	CPU 1	──────────────┐ stalls, the last: latest      └───┐ continues: takes the sum over
 *	               frozen ├───────────────────────────────┤ sum += gone - latest
 *
 * All running CPUs subtract the same sum, because no CPU runs while it grows, and each CPU reads it
 * before it continues. No clock steps back: a CPU stalls no later than latest, and continues no
 * earlier than gone, by its own counter. That counter's offset to the boot CPU's may be wrong by
 * clock_sync_measure()'s error. Times are cycles of the boot CPU's counter.
 */
#ifndef PMU_CLOCK_CLOCK_FREEZE_H
#define PMU_CLOCK_CLOCK_FREEZE_H

#include <stdint.h>

/* From now on the clock freezes when this many CPUs stall; 0: never. No CPU may be stalled.
 * Thread. */
void clock_freeze_begin(unsigned cpus);

/* Give this CPU the clock that the others have. On that CPU, before it is traced. Thread. */
void clock_freeze_begin_cpu(unsigned cpu);

/* This CPU stalls: until clock_freeze_go() it runs nothing that reads the clock. Its handler. */
void clock_freeze_stall(unsigned cpu);

/* This CPU continues; its clock excludes the frozen time. Returns that time in cycles; the events'
 * saved clock readings are then out of date (context_frozen()). Waits a few instructions for other
 * CPUs that are in here. Its handler. */
uint64_t clock_freeze_go(unsigned cpu);

#endif
