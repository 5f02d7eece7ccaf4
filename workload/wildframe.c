/* SPDX-License-Identifier: MIT */
/* Code that uses the frame pointer for something else: its value is no frame, and code that walks
 * the stack must survive it. */
#include "arch/arch.h"
#include "pmu/clock/clock.h"
#include "workload/workload.h"

#define NO_FRAME      0x4141414141414141ULL
#define BETWEEN_LOOKS 100000U

static int wildframe(uint64_t ns)
{
	uint64_t start = clock_now();

	do {
		arch_spin_with_frame_pointer(NO_FRAME, BETWEEN_LOOKS);
	} while (!workload_time_is_up(start, ns));
	return 0;
}

const struct workload workload_wildframe = {
	.usage.name = "wildframe",
	.usage.arguments = "[SECONDS]",
	.usage.description = "a hot function whose frame pointer is 0x4141414141414141",
	.usage.standard = NSEC_PER_SEC,
	.usage.most = 86400 * NSEC_PER_SEC,
	.usage.unit = NSEC_PER_SEC,
	.run = wildframe,
};
