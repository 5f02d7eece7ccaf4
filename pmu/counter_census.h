/* SPDX-License-Identifier: MIT */
/* The state of each CPU's counters when the first event came. It explains earlier wrong numbers and
 * missing counters to the user. In struct tr_cpu for the host. */
#ifndef PMU_COUNTER_CENSUS_H
#define PMU_COUNTER_CENSUS_H

#include "abi/trace_region.h"

/* A bit a counter, numbered as in the CPU's own enable register: IA32_PERF_GLOBAL_CTRL (fixed ones
 * from 32), PERF_CNTR_GLOBAL_CTL, PMCNTENSET_EL0 (31: the cycle counter). */
struct counter_census {
	uint64_t present; /* 0: nobody has looked yet */
	/* firmware had left them counting, or TR_LEFTOVERS_TRACE on; they were stopped, cleared */
	uint64_t leftovers;
	uint64_t foreign; /* do not keep what is written to them: firmware's or a hypervisor's */
};

/* By the CPU's number; each is written by that CPU alone. */
extern struct counter_census counter_census[TR_MAX_CPUS];

#endif
