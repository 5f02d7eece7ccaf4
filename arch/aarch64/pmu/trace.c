/* SPDX-License-Identifier: MIT */
/* Nothing that we drive here records branches, so there is nothing to hide handlers from. */
#include "arch/arch.h"

void arch_trace_hide(arch_entered_fn entered)
{
	(void)entered;
}

void arch_trace_hold(void)
{
}

void arch_trace_release(void)
{
}

bool arch_trace_held(void)
{
	return false;
}

/* Handlers mask all that could interrupt them. */
bool arch_interrupts_thread(const struct arch_regs *regs)
{
	(void)regs;
	return true;
}
