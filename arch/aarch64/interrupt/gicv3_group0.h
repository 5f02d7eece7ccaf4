/* SPDX-License-Identifier: MIT */
/*
 * Our interrupts as Group 0, which come as FIQ, beside the firmware's, which are Group 1 and come
 * as IRQ (IHI 0069, 4.6): what the firmware masks, it masks by PSTATE.I alone, and acknowledging
 * one of ours never takes one of its.
 */
#ifndef ARCH_AARCH64_INTERRUPT_GICV3_GROUP0_H
#define ARCH_AARCH64_INTERRUPT_GICV3_GROUP0_H

#include "arch/aarch64/interrupt/gic.h"

/* As gic's, for the calling CPU: PPIs alone. */
extern const struct gic_ops gicv3_group0_ops;

/* Let them in on this CPU, whose redistributor that is; of a controller that hosted_refuse_fiq()
 * does not refuse. Thread. */
void gicv3_group0_begin(const struct arch_platform *platform, volatile uint8_t *gicr);

/* All as it was. Thread, FIQs masked. */
void gicv3_group0_end(void);

/* An FIQ came: ours, with these registers. FIQ. */
void gicv3_group0_interrupt(const struct arch_regs *regs);

#endif
