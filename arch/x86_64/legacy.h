/* SPDX-License-Identifier: MIT */
/* Interrupt sources outside the CPU: two 8259 PICs, the I/O APICs, and the chipset's NMI. While
 * bareperf has taken over the machine, all inputs of the controllers are masked; in hosted mode one
 * of their inputs is ours (hpet.c). */
#ifndef ARCH_X86_64_LEGACY_H
#define ARCH_X86_64_LEGACY_H

#include "arch/arch.h"

/* take_over: save the masks and mask everything. give_back: restore the masks. Interrupts
 * masked. */
void legacy_take_over(void);
void legacy_give_back(void);

/* Intel 82093AA, 3.2.4: a redirection entry is two words */
#define IOAPIC_REDIRECT 0x10
#define IOAPIC_NMI      (4U << 8)
#define IOAPIC_MASKED   (1U << 16)

/* An I/O APIC's number of inputs, and its registers by number. Changes the selected register. */
unsigned ioapic_inputs(unsigned ioapic);
uint32_t ioapic_read(unsigned ioapic, unsigned reg);
void ioapic_write(unsigned ioapic, unsigned reg, uint32_t value);

/* The inputs of both 8259s. */
#define PIC_INPUTS 16U
bool pic_is_masked(unsigned input);

/* Whether the chipset has a reason for an NMI: a reported error (SERR#, IOCHK#). Any context. */
bool legacy_has_nmi(void);

#endif
