/* SPDX-License-Identifier: MIT */
/*
 * AMD's last branch records, version 2 (LbrExtV2; Zen 4 and later), for pmu/x86/lbr/x86_lbr.h. If
 * the CPU can freeze them (LbrAndPmcFreeze), they end at the overflow's interrupt; if not, at the
 * first instructions of its handler. APM (24593) volume 2, 13.1.1.
 */
#ifndef PMU_X86_LBR_AMD_LBR_H
#define PMU_X86_LBR_AMD_LBR_H

#include "pmu/x86/lbr/x86_lbr.h"

/* Check attr.branch_sample_type. Returns 0; -ENODEV: this CPU has no records that we know;
 * -EOPNOTSUPP: the records cannot do that. Both set event->why. Nothing for an event without branch
 * stacks. Thread. */
int amd_lbr_init(struct perf_event *event);

extern const struct x86_lbr_ops amd_lbr_ops;

/* The operation branch_stack of struct pmu. Counts records that erratum 1452 made in
 * branch_stack_erroneous. */
unsigned amd_lbr_branch_stack(const struct perf_event *event, uint64_t *at);

#endif
