/* SPDX-License-Identifier: MIT */
/* How a payload's thread lets its CPU sleep: SDM volume 2, HLT and STI. */
#ifndef ARCH_WAIT_H
#define ARCH_WAIT_H

#include <stdint.h>

#define ARCH_RFLAGS_IF 0x200U

static inline void arch_wait_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

/* If *word is still value, halt until an interrupt comes. An interrupt that came after the check is
 * not lost, because STI lets it in only behind HLT. If the thread has masked interrupts, this only
 * pauses for a moment. */
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
