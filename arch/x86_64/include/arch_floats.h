/* SPDX-License-Identifier: MIT */
/* A thread's floating-point environment: rounding, flush to zero, unmasked exceptions and flags.
 * SDM volume 1, 8.1.10 (x87) and 10.2.3 (MXCSR). */
#ifndef ARCH_FLOATS_H
#define ARCH_FLOATS_H

#include <stdint.h>

#define ARCH_FLOATS_MXCSR 0x1f80U /* as at reset: round to nearest, all exceptions masked */

struct arch_floats {
	uint32_t x87[7], mxcsr;
};

/* FNSTENV masks all exceptions, so the environment is loaded again. */
static inline void arch_floats_get(struct arch_floats *floats)
{
	__asm__ volatile("fnstenv %0\n\tfldenv %0\n\tstmxcsr %1"
	                 : "=m"(floats->x87), "=m"(floats->mxcsr));
}

static inline void arch_floats_set(const struct arch_floats *floats)
{
	__asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(floats->x87), "m"(floats->mxcsr));
}

/* The state at a program's start. */
static inline void arch_floats_reset(void)
{
	const uint32_t mxcsr = ARCH_FLOATS_MXCSR;

	__asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr));
}

#endif
