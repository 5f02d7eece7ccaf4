/* SPDX-License-Identifier: MIT */
/*
 * Our interrupts as Group 0, which come as FIQ, next to the firmware's, which are Group 1 and come
 * as IRQ (IHI 0069, 4.6). The firmware masks its interrupts by PSTATE.I only, so ours still come;
 * and acknowledging one of ours never takes one of the firmware's.
 */
#ifndef ARCH_AARCH64_INTERRUPT_GICV3_GROUP0_H
#define ARCH_AARCH64_INTERRUPT_GICV3_GROUP0_H

#include "arch/aarch64/interrupt/gic.h"

/* The operations of gic for the calling CPU: PPIs only. */
extern const struct gic_ops gicv3_group0_ops;

/* Let Group 0 in on this CPU, whose redistributor is gicr; the controller must be one that
 * hosted_refuse_fiq() accepts. Thread. */
void gicv3_group0_begin(const struct arch_platform *platform, volatile uint8_t *gicr);

/* Restore everything. Thread, FIQs masked. */
void gicv3_group0_end(void);

/* Handles an FIQ of ours, with these registers. FIQ. */
void gicv3_group0_interrupt(const struct arch_regs *regs);

#endif
