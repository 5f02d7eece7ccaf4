/* SPDX-License-Identifier: MIT */
/*
 * The C functions that vectors.S calls. All return to the interrupted code, with x0 to x18, x29 and
 * x30 from regs, and with the current ELR_ELx, SPSR_ELx and stack pointers.
 */
#ifndef ARCH_AARCH64_EXCEPTION_H
#define ARCH_AARCH64_EXCEPTION_H

#include "arch/arch.h"

void gicv2_interrupt(const struct arch_regs *regs); /* IRQ and FIQ of each controller: gicv2.c, */
void gicv3_interrupt(const struct arch_regs *regs); /* gicv3.c */
void arm_synchronous(struct arch_regs *regs);       /* exception.c: faults, HVC, SError */

#endif
