/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

/* A plain call: NMIs reach ring 0 even if the payload masks interrupts, so it needs no lower
 * level. */
int arch_call_payload(int (*fn)(void *arg), void *arg)
{
	return fn(arg);
}

unsigned arch_levels(void)
{
	return ARCH_LEVEL_KERNEL;
}
