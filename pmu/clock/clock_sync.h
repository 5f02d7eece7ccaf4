/* SPDX-License-Identifier: MIT */
/* One time for all CPUs: how far another CPU's cycle counter is from the boot CPU's. */
#ifndef PMU_CLOCK_CLOCK_SYNC_H
#define PMU_CLOCK_CLOCK_SYNC_H

#include <stdint.h>

struct clock_sync {
	int64_t offset; /* cycles to add to that CPU's counter for the boot CPU's; 0 if the measured
	                 * distance is smaller than error */
	uint64_t error; /* cycles: half of the fastest round trip, the largest possible error of
	                 * offset */
};

/*
 * Measure the offset of an idle CPU by round trips through memory, as NTP does through a network:
 * the fastest of at most 64 within 50 ms, and at least one. On the boot CPU, after
 * arch_take_over(). Returns 0 or arch_cpu_run()'s errors. Thread.
 */
int clock_sync_measure(unsigned cpu, struct clock_sync *sync);

#endif
