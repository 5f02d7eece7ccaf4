/* SPDX-License-Identifier: MIT */
/* The local APIC, in the mode (xAPIC or x2APIC) that the firmware left on. */
#ifndef ARCH_X86_64_INTERRUPT_APIC_H
#define ARCH_X86_64_INTERRUPT_APIC_H

#include "arch/arch.h"

/* Physical address of xAPIC's registers, which must be mapped as device memory. Enables nothing. */
uint64_t apic_address(void);

/* The firmware's settings on a CPU. */
#define APIC_SAVED 10U
struct apic_saved {
	uint64_t base_msr, tsc_deadline;
	uint32_t values[APIC_SAVED];
};

/* discover: note the address and mode of the calling CPU's local APIC. is_alike: whether the
 * calling CPU's local APIC has the same address and mode; the other CPUs' must. */
void apic_discover(void);
bool apic_is_same(void);

/* take_over: save the firmware's settings, enable the APIC, and mask every local source except
 * LINT1 (the board's NMI). give_back: restore them. The calling CPU. Interrupts masked. */
void apic_take_over(struct apic_saved *saved);
void apic_give_back(const struct apic_saved *saved);

/* Set up the local APIC of the calling CPU, which bareperf started: the boot CPU's mode, every
 * local source masked. */
void apic_init_cpu(void);

/* Whether this CPU can be addressed: xAPIC has only eight bits for an id. */
bool apic_reaches(uint32_t id);

/* Send an interrupt to one CPU; command is the low word of the interrupt command register. Any
 * context. */
void apic_send(uint32_t id, uint32_t command);

uint32_t apic_read(unsigned offset);
void apic_write(unsigned offset, uint32_t value);

/* Wait until the last interrupt that was sent has reached its CPU. */
void apic_sent(void);

/* This CPU's APIC id. After apic_discover(). */
uint32_t apic_id(void);

/* eoi: signal the end of an interrupt. in_service: whether this vector is being served. is_level:
 * whether it was level-triggered; then it comes again until its cause is served. */
void apic_eoi(void);
bool apic_in_service(unsigned vector);
bool apic_by_level(unsigned vector);

#endif
