/* SPDX-License-Identifier: MIT */
/*
 * Interrupts of ours that the firmware's driver of the controller passes on, next to the firmware's
 * own, with the firmware's set-up: they come as IRQs, which the firmware masks (UEFI 2.10, 7.1:
 * TPL). Depends only on arch/hosted.h. Thread.
 */
#ifndef ARCH_AARCH64_HOSTED_HOSTED_IRQ_H
#define ARCH_AARCH64_HOSTED_HOSTED_IRQ_H

#include "arch/hosted.h"

/* From now on pass our interrupts to handler, which must complete them. firmware is kept by
 * reference. */
void hosted_irq_begin(const struct arch_hosted_interrupts *firmware, arch_handed_fn handler);

/* Enable the interrupt of this number; may be repeated. Returns 0; -ENOSPC; or lead()'s result. */
int hosted_irq_enable(uint32_t number);
void hosted_irq_disable(uint32_t number);

/* Restore all; interrupts that had another handler before are left off, without a handler. */
void hosted_irq_end(void);

#endif
