/* SPDX-License-Identifier: MIT */
/* The interrupt controllers outside the CPU: two 8259 PICs and the I/O APICs. While we own the
 * machine all of their interrupts are masked; where the firmware goes on, one is ours (hpet.c). */
#ifndef ARCH_X86_64_LEGACY_H
#define ARCH_X86_64_LEGACY_H

#include "arch/arch.h"

/* Save and mask; put back. Interrupts masked. */
void legacy_take_over(void);
void legacy_give_back(void);

/* Intel 82093AA, 3.2.4: a redirection entry is two words */
#define IOAPIC_REDIRECT 0x10
#define IOAPIC_NMI      (4U << 8)
#define IOAPIC_MASKED   (1U << 16)

/* An I/O APIC's inputs, and its registers by number. The one that was selected is another then. */
unsigned ioapic_inputs(unsigned ioapic);
uint32_t ioapic_read(unsigned ioapic, unsigned reg);
void ioapic_write(unsigned ioapic, unsigned reg, uint32_t value);

/* Of the 8259s together. */
#define PIC_INPUTS 16U
bool pic_is_masked(unsigned input);

#endif
