/* SPDX-License-Identifier: MIT */
/* The local APIC, in xAPIC or x2APIC mode, whichever the firmware left on. */
#ifndef ARCH_X86_64_INTERRUPT_APIC_H
#define ARCH_X86_64_INTERRUPT_APIC_H

#include "arch/arch.h"

/* Physical address of xAPIC's registers, to be mapped as device. Enables nothing. */
uint64_t apic_address(void);

/* The firmware's settings on a CPU. */
#define APIC_SAVED 10U
struct apic_saved {
	uint64_t base_msr, tsc_deadline;
	uint32_t values[APIC_SAVED];
};

/* Note where the calling CPU's is and in which mode, which the others' must be as well; whether it
 * is so of the calling one's. */
void apic_discover(void);
bool apic_is_same(void);

/* Save the firmware's settings, enable the APIC, mask every local source but LINT1 (the NMI of the
 * board). Then put it all back. The calling CPU. Interrupts masked. */
void apic_take_over(struct apic_saved *saved);
void apic_give_back(const struct apic_saved *saved);

/* The calling CPU, one that we started: the boot CPU's mode, every local source masked. */
void apic_init_cpu(void);

/* Can this CPU be addressed? xAPIC has eight bits for it. */
bool apic_reaches(uint32_t id);

/* Send an interrupt to one CPU; command is the low word of the interrupt command register. Any
 * context. */
void apic_send(uint32_t id, uint32_t command);

uint32_t apic_read(unsigned offset);
void apic_write(unsigned offset, uint32_t value);

/* Wait until what was sent last has reached its CPU. */
void apic_sent(void);

/* This CPU's APIC id. After apic_discover(). */
uint32_t apic_id(void);

/* End of interrupt; is this vector being served, and did a level bring it, which comes again as
 * long as nobody attends to its cause? */
void apic_eoi(void);
bool apic_in_service(unsigned vector);
bool apic_by_level(unsigned vector);

#endif
