/* SPDX-License-Identifier: MIT */
/* A known number of taken branches: the loop's backward branch is taken N times, then falls
 * through. */
#include "workload/workload.h"

static __attribute__((noinline, noclone)) int branches(uint64_t taken)
{
	uint64_t left = taken + 1;

	KEEP_FRAME();
	do {
		__asm__ volatile("" : "+r"(left));
	} while (--left);
	return 0;
}

const struct workload workload_branches = {
	.usage.name = "branches",
	.usage.arguments = "[N]",
	.usage.description = "one loop of N taken branches",
	.usage.standard = 1000000,
	.usage.most = 1ULL << 62,
	.run = branches,
};
