/* SPDX-License-Identifier: MIT */
/*
 * What vectors.S calls. All return to the interrupted code, with x0 to x18, x29 and x30 as regs
 * then have them, and where ELR_ELx, SPSR_ELx and the stack pointers then say.
 */
#ifndef ARCH_AARCH64_EXCEPTION_H
#define ARCH_AARCH64_EXCEPTION_H

#include "arch/arch.h"

void gicv2_interrupt(const struct arch_regs *regs); /* IRQ and FIQ, by the controller: gicv2.c, */
void gicv3_interrupt(const struct arch_regs *regs); /* gicv3.c */
void arm_synchronous(struct arch_regs *regs);       /* exception.c: faults, HVC, SError */

#endif
