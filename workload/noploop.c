/* SPDX-License-Identifier: MIT */
/* One hot function: every sample belongs to noploop(). */
#include "pmu/clock/clock.h"
#include "workload/workload.h"

#define BETWEEN_LOOKS 100000U /* iterations between two readings of the clock */

static __attribute__((noinline, noclone)) int noploop(uint64_t ns)
{
	uint64_t start = clock_now();

	do {
		for (unsigned i = 0; i < BETWEEN_LOOKS; i++)
			__asm__ volatile("");
	} while (!workload_time_is_up(start, ns));
	return 0;
}

const struct workload workload_noploop = {
	.usage.name = "noploop",
	.usage.arguments = "[SECONDS]",
	.usage.description = "one hot function",
	.usage.standard = NSEC_PER_SEC,
	.usage.most = 86400 * NSEC_PER_SEC,
	.usage.unit = NSEC_PER_SEC,
	.run = noploop,
};
