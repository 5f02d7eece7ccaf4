/* SPDX-License-Identifier: MIT */
/* The state in which firmware left an x86 CPU's counters. */
#ifndef PMU_X86_X86_LEFTOVERS_H
#define PMU_X86_X86_LEFTOVERS_H

#include "pmu/counter_census.h"
#include "pmu/x86/x86_counters.h"

/* Stop and clear the counters and traces that firmware left on, and find the counters that firmware
 * or a hypervisor writes. On the calling CPU, interrupts masked. */
void x86_leftovers_clear(const struct x86_monitor *m, struct counter_census *census);

#endif
