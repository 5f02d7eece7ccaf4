/* SPDX-License-Identifier: MIT */
/* How a payload's thread gives its CPU a rest: Arm ARM DDI 0487, D1.17.1, WFE. */
#ifndef ARCH_WAIT_H
#define ARCH_WAIT_H

#include <stdint.h>

#define ARCH_DAIF_I 0x80U

static inline void arch_wait_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

/* Wait, if *word is still value, for an event or an interrupt; one that came since the look
 * included, for it is kept in the event register. Of who masks interrupts himself only a moment is
 * taken, since nothing would end a wait that has a deadline. */
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
