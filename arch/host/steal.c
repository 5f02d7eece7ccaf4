/* SPDX-License-Identifier: MIT */
/* No hypervisor reports anything to a test. */
#include "arch/arch.h"

bool arch_steal_begin(void)
{
	return false;
}

uint64_t arch_steal_end(void)
{
	return 0;
}
