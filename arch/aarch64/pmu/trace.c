/* SPDX-License-Identifier: MIT */
/* No hardware that bareperf drives on Arm records branches, so handlers need not be hidden. */
#include "arch/arch.h"

void arch_trace_hide(uint32_t reg, arch_entered_fn entered)
{
	(void)reg;
	(void)entered;
}

void arch_trace_entries(uint64_t *start, uint64_t *size)
{
	*start = *size = 0;
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

/* Handlers mask all interrupts, so only threads are interrupted. */
bool arch_interrupts_thread(const struct arch_regs *regs)
{
	(void)regs;
	return true;
}
