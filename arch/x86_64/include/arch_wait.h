/* SPDX-License-Identifier: MIT */
/* How a payload's thread gives its CPU a rest: SDM volume 2, HLT and STI. */
#ifndef ARCH_WAIT_H
#define ARCH_WAIT_H

#include <stdint.h>

#define ARCH_RFLAGS_IF 0x200U

static inline void arch_wait_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/* Halt, if *word is still value, until an interrupt comes; one that came since the look included,
 * for STI lets it in behind HLT only. Of who masks interrupts himself only a moment is taken. */
static inline void arch_wait_for_change(const uint32_t *word, uint32_t value)
{
	uint64_t flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
	if (!(flags & ARCH_RFLAGS_IF)) {
		arch_wait_relax();
		return;
	}
	__asm__ volatile("cli" : : : "memory");
	if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value)
		__asm__ volatile("sti; hlt" : : : "memory");
	else
		__asm__ volatile("sti" : : : "memory");
}

#endif
