/* SPDX-License-Identifier: MIT */
/*
 * Intel's last branch records, for pmu/x86/lbr/x86_lbr.h: those by model from Nehalem on (formats 3
 * to 7), and the architectural ones. Records are frozen at the overflow's interrupt.
 */
#ifndef PMU_X86_LBR_INTEL_LBR_H
#define PMU_X86_LBR_INTEL_LBR_H

#include "pmu/x86/lbr/x86_lbr.h"

/* Check attr.branch_sample_type. Returns 0; -ENODEV: this CPU has no records that we know;
 * -EOPNOTSUPP: its filter cannot do that. Both set event->why. Nothing for an event without branch
 * stacks. Thread. */
int intel_lbr_init(struct perf_event *event);

extern const struct x86_lbr_ops intel_lbr_ops;

/* The operation branch_stack of struct pmu. */
unsigned intel_lbr_branch_stack(const struct perf_event *event, uint64_t *at);

#endif
