/* SPDX-License-Identifier: MIT */
/* A debugger sets a hung CPU's pc here. The stack may be damaged, so the function is called on a
 * stack of its own, with interrupts masked. It must not return. */
#include "arch/arch.h"

void x86_forced_stop(void); /* forced_stop_entry.S */
void (*x86_forced_stop_function)(void);

uint64_t arch_forced_stop(void (*function)(void))
{
	x86_forced_stop_function = function;
	return (uintptr_t)x86_forced_stop;
}
