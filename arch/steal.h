/* SPDX-License-Identifier: MIT */
/* The arch seam for the time that a hypervisor takes from a CPU. */
#ifndef ARCH_STEAL_H
#define ARCH_STEAL_H

#include <stdbool.h>
#include <stdint.h>

struct arch_platform;

/* The memory in which the hypervisor reports that time, if arch_prepare() has to map it as data.
 * Returns false if there is none. Before arch_prepare(). Thread. */
bool arch_steal_area(const struct arch_platform *platform, uint64_t *address, uint64_t *size);

/* Ask the hypervisor to report the time that it takes from the calling CPU for other work. Returns
 * whether it will. The other: the reports' end, and the ns that were taken in between. Thread. */
bool arch_steal_begin(void);
uint64_t arch_steal_end(void);

#endif
