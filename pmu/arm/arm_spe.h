/* SPDX-License-Identifier: MIT */
/*
 * Arm's Statistical Profiling Extension, v1.0 to v1.4: the CPU picks one operation in so many,
 * follows it through the pipeline, and writes a record about it into the AUX area.
 *
 * The sampled operations: without a modifier those of the traced code (EL0 and EL1; EL2 if firmware
 * is traced there) and, entered at EL2, never bareperf's own; with modifiers those of the named
 * levels, h being EL2.
 *
 * Terms, perf's: ts_enable, pa_enable, pct_enable (physical time instead of virtual), jitter,
 * branch_filter, load_filter, store_filter, discard, event_filter (all of these events),
 * inv_event_filter (none of these), min_latency (cycles). Documents: Arm ARM DDI 0487, D17, D19.
 */
#ifndef PMU_ARM_ARM_SPE_H
#define PMU_ARM_ARM_SPE_H

#include "pmu/pmu.h"

extern const struct pmu pmu_arm_spe;

#endif
