/* SPDX-License-Identifier: MIT */
/* What interrupts outside the CPU: two 8259 PICs, the I/O APICs, and the chipset's NMI. While we
 * own the machine all that the controllers have is masked; where the firmware goes on, one of their
 * inputs is ours (hpet.c). */
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

/* The chipset has a reason for an NMI: an error that it was told of (SERR#, IOCHK#). Any context.
 */
bool legacy_has_nmi(void);

#endif
