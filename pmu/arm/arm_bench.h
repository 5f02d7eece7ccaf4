/* SPDX-License-Identifier: MIT */
#ifndef PMU_ARM_ARM_BENCH_H
#define PMU_ARM_ARM_BENCH_H

#include "pmu/bench_counters.h"

extern const struct bench_counters arm_bench_counters;

#endif
