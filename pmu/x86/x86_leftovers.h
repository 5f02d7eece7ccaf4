/* SPDX-License-Identifier: MIT */
/* The state in which firmware left an x86 CPU's counters. */
#ifndef PMU_X86_X86_LEFTOVERS_H
#define PMU_X86_X86_LEFTOVERS_H

#include "pmu/counter_census.h"
#include "pmu/x86/x86_counters.h"

/* Stop and clear what the calling CPU counts and traces, and find those counters that somebody else
 * writes. Interrupts masked. */
void x86_leftovers_clear(const struct x86_monitor *m, struct counter_census *census);

#endif
