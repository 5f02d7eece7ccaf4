/* SPDX-License-Identifier: MIT */
#ifndef ARCH_AARCH64_CPUS_H
#define ARCH_AARCH64_CPUS_H

#include "arch/aarch64/cpu.h"

/* Leaves the page at this address unmapped; 0 or a negative errno. */
typedef int (*arm_hole_fn)(uint64_t page);

/* Number the platform's CPUs as it does, the boot CPU first, and give each its stacks. 0, -ENOMEM,
 * or what hole() returned. Thread. */
int arm_cpus_init(const struct arch_platform *platform, arch_alloc_pages_fn alloc,
                  arm_hole_fn hole);

/* The firmware goes on: the boot CPU is all there is. Thread. */
void arm_cpus_join(void);

#endif
