/* SPDX-License-Identifier: MIT */
/* Arm has no register for all CPUs that notes throttling or a changed frequency, and errors are
 * noted in registers of EL3 or of the platform. */
#include "arch/noise.h"

void arch_noise_begin(void)
{
}

void arch_noise_read(struct arch_noise *noise)
{
	*noise = (struct arch_noise){ .nr_banks = 0 };
}
