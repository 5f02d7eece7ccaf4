/* SPDX-License-Identifier: MIT */
/*
 * Our interrupts while the firmware goes on: its own vectors bring them to us, as FIQ or as IRQ,
 * with registers and stack as they were; EDK2's mask FIQs themselves until they have saved what a
 * nested one would overwrite, and from where they restore it. Code that has loaded page tables of
 * its own has the firmware's vectors in them, with what those use, and this image; our devices and
 * rings need not be there.
 */
#ifndef ARCH_AARCH64_HOSTED_HOSTED_ENTRY_H
#define ARCH_AARCH64_HOSTED_HOSTED_ENTRY_H

#include "arch/hosted.h"

/* The translation of this moment is the firmware's, in which ours are handled. Who ends those that
 * come as IRQ; NULL: none does. Thread, with ours masked. */
void hosted_entry_begin(const struct arch_hosted_interrupts *interrupts);

/* As who changes its translation and may call boot services: Thread, with ours masked. */
void hosted_entry_again(void);

/* For EFI_CPU_ARCH_PROTOCOL: Group 0's; for arch_hosted_interrupts' lead(). context is
 * EFI_SYSTEM_CONTEXT's pointer. FIQ; IRQ. */
void hosted_entry_fiq(intptr_t type, void *context);
void hosted_entry_irq(intptr_t number, void *context);

#endif
