/* SPDX-License-Identifier: MIT */
/* How a payload's thread lets its CPU sleep: Arm ARM DDI 0487, D1.17.1, WFE. */
#ifndef ARCH_WAIT_H
#define ARCH_WAIT_H

#include <stdint.h>

#define ARCH_DAIF_I 0x80U

static inline void arch_wait_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

/* If *word is still value, wait for an event or an interrupt. One that came after the check is not
 * lost, because the event register keeps it. If the thread has masked interrupts, this only pauses
 * for a moment, because nothing would end a wait with a deadline. */
static inline void arch_wait_for_change(const uint32_t *word, uint32_t value)
{
	uint64_t daif;

	__asm__ volatile("mrs %0, daif" : "=r"(daif) : : "memory");
	if (daif & ARCH_DAIF_I)
		arch_wait_relax();
	else if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value)
		__asm__ volatile("wfe" : : : "memory");
}

#endif
