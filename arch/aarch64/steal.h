/* SPDX-License-Identifier: MIT */
/*
 * The time that a hypervisor took from a CPU for other work: Arm's "Paravirtualized Time for
 * Arm-based Systems" (DEN0057), 4. Each CPU's report lies in memory of the hypervisor's choice.
 */
#ifndef ARCH_AARCH64_STEAL_H
#define ARCH_AARCH64_STEAL_H

#include <stdbool.h>
#include <stdint.h>

#define STEAL_AREA 0x10000ULL /* bytes, and its alignment: room for 1024 reports of 64 bytes */

/* 4.1, table 3: the hypervisor writes it. */
struct steal_report {
	uint32_t revision;   /* 0 */
	uint32_t attributes; /* 0 */
	uint64_t stolen;     /* ns since boot; written at once */
};
_Static_assert(sizeof(struct steal_report) == 16, "DEN0057, 4.1");

/* One service call of the hypervisor's: x0 of its result. */
typedef int64_t (*steal_call_fn)(uint32_t function, uint32_t argument);

/* The address of the calling CPU's report; 0: the hypervisor has none, or its address is not
 * aligned. Call it only if the hypervisor answers calls of SMCCC 1.1. Thread. */
uint64_t steal_find(steal_call_fn call);

/* The area that a report lies in. */
static inline uint64_t steal_area_of(uint64_t report)
{
	return report & ~(STEAL_AREA - 1);
}

/* Whether the report has the form that is known here. */
bool steal_is_known(const volatile struct steal_report *report);

#endif
