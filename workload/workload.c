/* SPDX-License-Identifier: MIT */
#include "workload/workload.h"

#include "pmu/clock/clock.h"

const struct workload_usage *const workloads[] = {
	&workload_noploop.usage,
	&workload_calltree.usage,
	&workload_branches.usage,
	&workload_ptrchase.usage,
	&workload_qsort.usage,
	&workload_matmul.usage,
	&workload_idle.usage,
	&workload_wildframe.usage,
	&workload_masked.usage,
	&workload_payload.usage,
	&workload_uefi_image.usage,
	&workload_boot.usage,
	NULL,
};

static bool over;

void workload_end(bool now)
{
	KEEP_FRAME();
	__atomic_store_n(&over, now, __ATOMIC_RELAXED);
}

int workload_time_is_up(uint64_t start, uint64_t ns)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED) || clock_now() - start >= ns;
}
