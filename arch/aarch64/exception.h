/* SPDX-License-Identifier: MIT */
/*
 * What vectors.S calls. Both return to the interrupted code as regs then say.
 */
#ifndef ARCH_AARCH64_EXCEPTION_H
#define ARCH_AARCH64_EXCEPTION_H

#include "arch/arch.h"

void arm_interrupt(struct arch_regs *regs);   /* interrupt.c: IRQ and FIQ */
void arm_synchronous(struct arch_regs *regs); /* exception.c: faults, HVC, SError */

/* The stack pointer of what was interrupted. In its handler, before another one is taken. */
uint64_t arm_interrupted_sp(const struct arch_regs *regs);

#endif
