/* SPDX-License-Identifier: MIT */
/* Nanoseconds from the cycle counter, by the conversion that the trace region publishes. */
#ifndef ABI_CLOCK_H
#define ABI_CLOCK_H

#include "abi/trace_region.h"

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL

/* perf's conversion (struct perf_event_mmap_page, capabilities' cap_user_time_zero), without
 * overflow for any cycles. Any context. */
static inline uint64_t clock_to_ns(const struct tr_clock *clock, uint64_t cycles)
{
	unsigned __int128 product = (unsigned __int128)cycles * clock->time_mult;

	return clock->time_zero + (uint64_t)(product >> (clock->time_shift & 63));
}

#endif
