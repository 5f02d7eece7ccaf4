/* SPDX-License-Identifier: MIT */
/*
 * Interrupts of ours that the firmware's own driver of the controller hands on, beside the
 * firmware's, and as it has set them up: as IRQs, which it masks (UEFI 2.10, 7.1: TPL). Nothing is
 * known here but arch/hosted.h. Thread.
 */
#ifndef ARCH_AARCH64_HOSTED_HOSTED_IRQ_H
#define ARCH_AARCH64_HOSTED_HOSTED_IRQ_H

#include "arch/hosted.h"

/* Have them go to handler, which ends them, from now on. firmware is kept. */
void hosted_irq_begin(const struct arch_hosted_interrupts *firmware, arch_handed_fn handler);

/* Of a number of the controller's; again and again, as one likes. 0; -ENOSPC; or what lead() says.
 */
int hosted_irq_enable(uint32_t number);
void hosted_irq_disable(uint32_t number);

/* All as they were, but for those that were led to somebody else: they are off, and nobody's. */
void hosted_irq_end(void);

#endif
