/* SPDX-License-Identifier: MIT */
/*
 * Our interrupts in hosted mode: the firmware's own vectors pass them to us, as FIQ or as IRQ, with
 * registers and stack as they were. EDK2's vectors mask FIQs while a nested one would overwrite
 * saved state. Code that has loaded its own page tables must have mapped the firmware's vectors
 * with their data, and this image; our devices and rings need not be mapped.
 */
#ifndef ARCH_AARCH64_HOSTED_HOSTED_ENTRY_H
#define ARCH_AARCH64_HOSTED_HOSTED_ENTRY_H

#include "arch/hosted.h"

/* Note the current translation as the firmware's; our interrupts are handled in it. interrupts: the
 * functions that complete our interrupts if they come as IRQ, or NULL if none comes so. Thread,
 * with our interrupts masked. */
void hosted_entry_begin(const struct arch_hosted_interrupts *interrupts);

/* Note the translation again, for a caller that has changed it and may call boot services. Thread,
 * with our interrupts masked. */
void hosted_entry_again(void);

/* Two handlers: of FIQs (Group 0), to register by EFI_CPU_ARCH_PROTOCOL; of IRQs, for lead() of
 * arch_hosted_interrupts. context is the pointer of EFI_SYSTEM_CONTEXT. FIQ; IRQ. */
void hosted_entry_fiq(intptr_t type, void *context);
void hosted_entry_irq(intptr_t number, void *context);

#endif
