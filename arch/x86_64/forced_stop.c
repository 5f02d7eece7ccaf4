/* SPDX-License-Identifier: MIT */
/* Where a debugger brings a CPU that hangs, whatever its stack is: the function is called on one of
 * its own, interrupts masked, and must not return. */
#include "arch/arch.h"

void x86_forced_stop(void); /* forced_stop_entry.S */
void (*x86_forced_stop_function)(void);

uint64_t arch_forced_stop(void (*function)(void))
{
	x86_forced_stop_function = function;
	return (uintptr_t)x86_forced_stop;
}
