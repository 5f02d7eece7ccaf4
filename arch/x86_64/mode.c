/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/mode.h"

static void mode_irq_enable(void)
{
	__asm__ volatile("sti" : : : "memory");
}

static void mode_irq_disable(void)
{
	__asm__ volatile("cli" : : : "memory");
}

static bool mode_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
	(void)sp;
	(void)low;
	(void)high;
	return false;
}

const struct x86_mode x86_mode_own = {
	.irq_enable = mode_irq_enable,
	.irq_disable = mode_irq_disable,
	.stack_bounds = mode_stack_bounds,
};

const struct x86_mode *x86_mode = &x86_mode_own;
