/* SPDX-License-Identifier: MIT */
/* On the host, threads stand in for CPUs; each test defines how they wait. */
#ifndef ARCH_WAIT_H
#define ARCH_WAIT_H

#include <stdint.h>

static inline void arch_wait_relax(void)
{
	__asm__ volatile("" : : : "memory");
}

void arch_wait_for_change(const uint32_t *word, uint32_t value);

#endif
