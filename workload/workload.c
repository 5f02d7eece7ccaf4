/* SPDX-License-Identifier: MIT */
#include "workload/workload.h"

#include "pmu/clock.h"

const struct workload *const workloads[] = {
	&workload_noploop,
	&workload_calltree,
	&workload_branches,
	&workload_ptrchase,
	&workload_qsort,
	&workload_matmul,
	&workload_idle,
	&workload_wildframe,
	&workload_masked,
	&workload_payload,
	NULL,
};

int workload_time_is_up(uint64_t start, uint64_t seconds)
{
	return clock_now() - start >= seconds * NSEC_PER_SEC;
}
