/* SPDX-License-Identifier: MIT */
/* Software step (Arm ARM, D2.12) is not used. */
#include <errno.h>

#include "arch/step.h"

bool arch_step_possible(void)
{
	return false;
}

int arch_step_init(arch_branch_fn taken)
{
	(void)taken;
	return -EOPNOTSUPP;
}

void arch_step_begin(void)
{
}

void arch_step_end(void)
{
}
