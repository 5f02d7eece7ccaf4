/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_TIME_CLOCK_H
#define ARCH_X86_64_TIME_CLOCK_H

#include "arch/arch.h"
#include "arch/x86_64/cpuid.h"

struct clock_rates {
	uint64_t tsc;    /* Hz */
	uint64_t apic;   /* Hz, of the local APIC's timer with divider 1 */
	uint16_t source; /* enum tr_clock_source */
};

/* Compute the rates from CPUID leaves 15H and 16H (zeros: not present); false if they are not
 * enough. Pure. */
bool clock_rates_by_cpuid(struct cpuid ratio, struct cpuid base, struct clock_rates *rates);

/* Find the rates. Returns 0, or -ENODEV if there is no way. Uses the APIC's timer and leaves it
 * off. */
int clock_find_rates(struct clock_rates *rates);

/* Stop the timer that clock_find_rates() measured against, if it was off before. */
void clock_give_back(void);

#endif
