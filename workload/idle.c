/* SPDX-License-Identifier: MIT */
/* No work: the CPU sleeps between interrupts. */
#include "arch/arch.h"
#include "pmu/clock/clock.h"
#include "workload/workload.h"

static int idle(uint64_t ns)
{
	uint64_t start = clock_now();

	while (!workload_time_is_up(start, ns))
		arch_wait();
	return 0;
}

const struct workload workload_idle = {
	.usage.name = "idle",
	.usage.arguments = "[SECONDS]",
	.usage.description = "the CPU sleeps",
	.usage.standard = NSEC_PER_SEC,
	.usage.most = 86400 * NSEC_PER_SEC,
	.usage.unit = NSEC_PER_SEC,
	.run = idle,
};
