/* SPDX-License-Identifier: MIT */
/*
 * The clock stands while all traced CPUs stand for room (`--lossless=freeze`): what clock_now() and
 * the records' TIME say has none of the time from when the last one stood to when the first one
 * goes on.
 *
 *	CPU 0	────────┐ stands                              ┌─ goes on ──
 *	CPU 1	──────────────┐ stands, the last: latest      └───┐ goes on: takes the sum over
 *	               frozen ├───────────────────────────────┤ sum += gone - latest
 *
 * All running CPUs subtract the same sum, as none runs while it grows, and each takes it over
 * before it goes on. No clock goes back: a CPU's own arrival is no later than latest, and it goes
 * on no earlier than gone, by its own counter, whose offset to the boot CPU's may be wrong by
 * clock_sync_measure()'s error. Times are cycles of the boot CPU's counter.
 */
#ifndef PMU_CLOCK_CLOCK_FREEZE_H
#define PMU_CLOCK_CLOCK_FREEZE_H

#include <stdint.h>

/* The clock stands while so many CPUs stand; 0: it never does. None stands. Thread. */
void clock_freeze_begin(unsigned cpus);

/* This CPU has the clock that the others have. Before it is traced, by itself. Thread. */
void clock_freeze_join(unsigned cpu);

/* This CPU stands: it runs nothing that asks the clock, until it goes. Its handler. */
void clock_freeze_stand(unsigned cpu);

/* It goes on, its clock without what stood. Returns that, in cycles; what its events have of the
 * clock is old then (context_frozen()). Waits for others that do this, a few instructions of
 * theirs. As above. */
uint64_t clock_freeze_go(unsigned cpu);

#endif
