/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

/* NMIs reach ring 0 as they are: the payload needs no other level. */
int arch_call_payload(int (*fn)(void *arg), void *arg)
{
	return fn(arg);
}

unsigned arch_levels(void)
{
	return ARCH_LEVEL_KERNEL;
}
