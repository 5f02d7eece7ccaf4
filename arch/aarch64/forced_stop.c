/* SPDX-License-Identifier: MIT */
/* A debugger sets the pc of a CPU that hangs at EL1 here. The stack may be damaged, so the function
 * is called on a stack of its own, with interrupts masked. It must not return. Not needed at EL2:
 * code below cannot mask our interrupts there. */
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

void arm_forced_stop(void); /* forced_stop_entry.S */
void (*arm_forced_stop_function)(void);

uint64_t arch_forced_stop(void (*function)(void))
{
	arm_forced_stop_function = function;
	return current_el() == 1 ? (uintptr_t)arm_forced_stop : 0;
}
