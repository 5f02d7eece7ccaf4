/* SPDX-License-Identifier: MIT */
/* The state of each CPU's counters when the first event came. It explains earlier wrong numbers and
 * missing counters to the user. In struct tr_cpu for the host. */
#ifndef PMU_COUNTER_CENSUS_H
#define PMU_COUNTER_CENSUS_H

#include "abi/trace_region.h"

/* One bit per counter, numbered as in the CPU's own enable register: IA32_PERF_GLOBAL_CTRL (fixed
 * counters from bit 32), PERF_CNTR_GLOBAL_CTL, or PMCNTENSET_EL0 (bit 31: the cycle counter, bit
 * 32: the instruction counter). */
struct counter_census {
	uint64_t present; /* 0: not looked at yet */
	/* counters that firmware had left counting, or TR_LEFTOVERS_TRACE that it had left on; they
	 * were stopped and cleared */
	uint64_t leftovers;
	/* not used: they lose a written value, since firmware or a hypervisor uses them, or dead */
	uint64_t foreign;
	uint64_t dead; /* a hypervisor's: they keep a value and count nothing */
};

/* Indexed by CPU number; each CPU writes only its own entry. */
extern struct counter_census counter_census[TR_MAX_CPUS];

#endif
