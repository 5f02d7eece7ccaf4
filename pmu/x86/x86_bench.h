/* SPDX-License-Identifier: MIT */
#ifndef PMU_X86_X86_BENCH_H
#define PMU_X86_X86_BENCH_H

#include "pmu/bench_counters.h"

extern const struct bench_counters x86_bench_counters;

#endif
