/* SPDX-License-Identifier: MIT */
/* What an x86 CPU's counters were used for before they are ours. */
#ifndef PMU_X86_X86_LEFTOVERS_H
#define PMU_X86_X86_LEFTOVERS_H

#include "pmu/counter_census.h"
#include "pmu/x86/x86_counters.h"

/* Stop and clear what the calling CPU counts and traces, and find those counters that somebody else
 * writes. Interrupts masked. */
void x86_leftovers_clear(const struct x86_monitor *m, struct counter_census *census);

#endif
