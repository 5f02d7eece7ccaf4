/* SPDX-License-Identifier: MIT */
/* A thread's floating-point environment: rounding, flush to zero, trapped exceptions and flags. Arm
 * ARM, C5.2.8 (FPCR) and C5.2.9 (FPSR). */
#ifndef ARCH_FLOATS_H
#define ARCH_FLOATS_H

#include <stdint.h>

struct arch_floats {
	uint64_t fpcr, fpsr;
};

static inline void arch_floats_get(struct arch_floats *floats)
{
	__asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(floats->fpcr), "=r"(floats->fpsr));
}

static inline void arch_floats_set(const struct arch_floats *floats)
{
	__asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(floats->fpcr), "r"(floats->fpsr));
}

/* The state at a program's start: round to nearest, no traps. */
static inline void arch_floats_reset(void)
{
	arch_floats_set(&(struct arch_floats){ 0 });
}

#endif
