/* SPDX-License-Identifier: MIT */
/* PERF_SAMPLE_BRANCH_STACK: what its hardware's drivers and the writers of samples agree on. */
#ifndef PMU_BRANCH_STACK_H
#define PMU_BRANCH_STACK_H

#include "abi/perf_event.h"
#include "abi/trace_region.h"

#define BRANCH_STACK_MAX     64U /* branches of a stack */
#define BRANCH_STACK_TYPICAL 32U

/* Indexed by CPU: records of this run that are in no stack, because the hardware marked them as
 * erroneous. A record that several samples found counts each time. The CPU itself writes. */
extern uint32_t branch_stack_erroneous[TR_MAX_CPUS];

/* Words of a stack with n branches: nr, hw_idx, and the entries; and of the longest one. */
#define BRANCH_STACK_SIZE(n) (2U + (n) * (sizeof(struct perf_branch_entry) / 8U))
#define BRANCH_STACK_WORDS   BRANCH_STACK_SIZE(BRANCH_STACK_MAX)

/* Bits of attr.branch_sample_type: privilege levels, kinds, and all that bareperf serves. */
#define BRANCH_LEVELS (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)
#define BRANCH_KINDS                                                                             \
	(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN |  \
	 PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_CALL_STACK | \
	 PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL)
#define BRANCH_FORMS \
	(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_HW_INDEX)
#define BRANCH_TYPES_SERVED (BRANCH_LEVELS | BRANCH_KINDS | BRANCH_FORMS)

#endif
