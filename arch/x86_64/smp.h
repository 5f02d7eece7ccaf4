/* SPDX-License-Identifier: MIT */
/* The other CPUs. */
#ifndef ARCH_X86_64_SMP_H
#define ARCH_X86_64_SMP_H

#include "arch/arch.h"

/* Number the CPUs of platform, the calling one first. With the firmware's services. Thread. */
void smp_init(const struct arch_platform *platform);

/* Write the code that a CPU starts with, and a copy of the root of our page tables that it can
 * load in 32-bit mode, to platform->low_memory. When the page tables are complete. Thread. */
void smp_prepare(const struct arch_platform *platform);

/* nmi.c: an NMI that signals this CPU is about to be sent. Any context. */
void x86_expect_signal(unsigned cpu);

#endif
