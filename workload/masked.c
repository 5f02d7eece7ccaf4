/* SPDX-License-Identifier: MIT */
/* Code that masks interrupts for 10 ms at a time, as drivers and critical sections do: sampling by
 * maskable interrupts sees only its end. */
#include "arch/arch.h"
#include "pmu/clock/clock.h"
#include "workload/workload.h"

#define MASKED_NS 10000000ULL

static __attribute__((noinline, noclone)) void masked_loop(void)
{
	uint64_t start = clock_now();

	while (clock_now() - start < MASKED_NS)
		__asm__ volatile("");
}

static int masked(uint64_t ns)
{
	uint64_t start = clock_now();

	do {
		uint64_t saved = arch_irq_save();

		masked_loop();
		arch_irq_restore(saved);
	} while (!workload_time_is_up(start, ns));
	return 0;
}

const struct workload workload_masked = {
	.usage.name = "masked",
	.usage.arguments = "[SECONDS]",
	.usage.description = "interrupts masked, 10 ms at a time",
	.usage.standard = NSEC_PER_SEC,
	.usage.most = 86400 * NSEC_PER_SEC,
	.usage.unit = NSEC_PER_SEC,
	.run = masked,
};
