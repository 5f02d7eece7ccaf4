/* SPDX-License-Identifier: MIT */
/*
 * The high precision event timer: IA-PC HPET specification 1.0a. Its counter is a reference for the
 * TSC (clock.c). In hosted mode, where the local APIC's timer is the firmware's, one of its
 * comparators is our timer.
 */
#ifndef ARCH_X86_64_TIME_HPET_H
#define ARCH_X86_64_TIME_HPET_H

#include "arch/arch.h"

/* Registers, 2.3.4 to 2.3.7 */
#define HPET_CAPABILITIES 0x000
#define HPET_LAST_TIMER   8     /* bits 12:8, of the number of comparators - 1 */
#define HPET_PERIOD       0x004 /* high half of the capabilities: femtoseconds a tick */
#define HPET_PERIOD_MAX   100000000U
#define HPET_CONFIG       0x010
#define HPET_RUNS         (1U << 0)
#define HPET_LEGACY       (1U << 1) /* comparators 0 and 1 replace the PIT and the RTC */
#define HPET_COUNTER      0x0f0

/* Comparator n, 2.3.8, 2.3.9 */
#define HPET_TIMER(n)      (0x100U + 0x20U * (n))
#define HPET_TIMER_LEVEL   (1U << 1)
#define HPET_TIMER_ENABLE  (1U << 2)
#define HPET_TIMER_REPEATS (1U << 3)
#define HPET_TIMER_32      (1U << 8)
#define HPET_TIMER_ROUTE   9 /* bits 13:9, the I/O APIC's input */
#define HPET_TIMER_FSB     (1U << 14)
#define HPET_TIMER_INPUTS  0x04 /* after its configuration: the inputs that it can use */
#define HPET_TIMER_AT      0x08 /* the comparator itself */

#define HPET_FEMTOSECONDS 1000000000000000ULL /* a second */

uint32_t hpet_read(unsigned offset);
void hpet_write(unsigned offset, uint32_t value);

/* Hz of the counter; 0: there is no usable HPET. Thread. */
uint64_t hpet_rate(void);

/* Start the counter; returns whether it was off. Thread. */
bool hpet_start(void);

/* Why there is no comparator: a phrase, and another for the case that CPU counters replace it. */
struct hpet_refusal {
	const char *alone, *beside_counters;
};

/* Claim an unused comparator that raises an NMI on the CPU with this APIC id, through an unused
 * input of an I/O APIC; it begins disarmed. Returns NULL; or why there is none. Thread. */
const struct hpet_refusal *hpet_claim(uint32_t apic_id);

/* Whether a comparator is claimed. Any context. */
bool hpet_is_claimed(void);

/* Restore the comparator and the input. NMIs that are on their way still come. Thread. */
void hpet_release(void);

/* arm: one NMI when so many ticks have passed, or soon after. disarm: no NMI any more. Any context
 * except the NMI itself. */
void hpet_arm(uint32_t ticks);
void hpet_disarm(void);

/* An NMI came: returns whether it belongs to the last deadline, and disarms it then. The input
 * raises other NMIs as well: for earlier deadlines, for the counter's wrap (2.3.9.2.1), and for PCI
 * devices that share it. NMI. */
bool hpet_has_fired(void);

#endif
