/* SPDX-License-Identifier: MIT */
/* No hypervisor reports anything to a test. */
#include "arch/steal.h"

bool arch_steal_begin(void)
{
	return false;
}

uint64_t arch_steal_end(void)
{
	return 0;
}

bool arch_steal_area(const struct arch_platform *platform, uint64_t *address, uint64_t *size)
{
	(void)platform;
	*address = *size = 0;
	return false;
}
