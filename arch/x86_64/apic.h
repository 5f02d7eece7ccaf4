/* SPDX-License-Identifier: MIT */
/* The local APIC, in xAPIC or x2APIC mode, whichever the firmware left on. */
#ifndef ARCH_X86_64_APIC_H
#define ARCH_X86_64_APIC_H

#include "arch/arch.h"

/* Physical address of xAPIC's registers, to be mapped as device. Enables nothing. */
uint64_t apic_address(void);

/* Save the firmware's settings, enable the APIC, mask every local source but LINT1 (the NMI of the
 * board). Then put it all back. The calling CPU. Interrupts masked. */
void apic_take_over(void);
void apic_give_back(void);

/* The calling CPU, one that we started: the boot CPU's mode, every local source masked. */
void apic_init_cpu(void);

/* Can this CPU be addressed? xAPIC has eight bits for it. */
bool apic_reaches(uint32_t id);

/* Send an interrupt to one CPU; command is the low word of the interrupt command register. Any
 * context. */
void apic_send(uint32_t id, uint32_t command);

uint32_t apic_read(unsigned offset);
void apic_write(unsigned offset, uint32_t value);

/* This CPU's APIC id. After apic_take_over(). */
uint32_t apic_id(void);

/* End of interrupt; is this vector being served? */
void apic_eoi(void);
bool apic_in_service(unsigned vector);

#endif
