/* SPDX-License-Identifier: MIT */
#ifndef ARCH_AARCH64_CPUS_H
#define ARCH_AARCH64_CPUS_H

#include "arch/aarch64/cpu.h"

/* Leaves the page at this address unmapped; returns 0 or a negative errno. */
typedef int (*arm_hole_fn)(uint64_t page);

/* Number the CPUs as platform does, the boot CPU first, and give each its stacks. Returns 0,
 * -ENOMEM, or hole()'s error. Thread. */
int arm_cpus_init(const struct arch_platform *platform, arch_alloc_pages_fn alloc,
                  arm_hole_fn hole);

/* Hosted mode: use only the boot CPU. Thread. */
void arm_cpus_init_hosted(void);

#endif
