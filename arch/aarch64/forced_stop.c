/* SPDX-License-Identifier: MIT */
/* Where a debugger brings a CPU that hangs at EL1, whatever its stack is: the function is called on
 * one of its own, interrupts masked, and must not return. What runs there below us, at EL2, cannot
 * mask our interrupts. */
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"

void arm_forced_stop(void); /* forced_stop_entry.S */
void (*arm_forced_stop_function)(void);

uint64_t arch_forced_stop(void (*function)(void))
{
	arm_forced_stop_function = function;
	return current_el() == 1 ? (uintptr_t)arm_forced_stop : 0;
}
