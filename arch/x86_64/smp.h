/* SPDX-License-Identifier: MIT */
/* The other CPUs. */
#ifndef ARCH_X86_64_SMP_H
#define ARCH_X86_64_SMP_H

#include "arch/arch.h"

/* Number the CPUs of platform, the calling one first. With the firmware's services. Thread. */
void smp_init(const struct arch_platform *platform);

/* Write the start code for the other CPUs, and a copy of our page tables' root that can be loaded
 * in 32-bit mode, to platform->low_memory, and allocate room for the CPUs' firmware state. After
 * the page tables are complete. Returns 0 or -ENOMEM. Thread. */
int smp_prepare(const struct arch_platform *platform, arch_alloc_pages_fn alloc);

/* From now on the other CPUs are those that the firmware hands over. */
void smp_keep_firmware(void);

/* nmi.c: an NMI that signals this CPU is about to be sent. Any context. */
void x86_expect_signal(unsigned cpu);

#endif
