/* SPDX-License-Identifier: MIT */
/* The interrupt controllers outside the CPU: two 8259 PICs and the I/O APICs. We use none of their
 * interrupts, so all are masked while we own the machine. */
#ifndef ARCH_X86_64_LEGACY_H
#define ARCH_X86_64_LEGACY_H

#include "arch/arch.h"

/* Save and mask; put back. Interrupts masked. */
void legacy_take_over(const struct arch_platform *facts);
void legacy_give_back(void);

#endif
