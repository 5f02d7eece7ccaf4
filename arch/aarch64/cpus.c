/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/cpus.h"

#include <errno.h>

#include "arch/aarch64/psci.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/takeover.h"

/* Pages of each stack; one more page below each stays unmapped. */
#define EXCEPTION_PAGES 4U
#define PANIC_PAGES     4U
#define THREAD_PAGES    16U
#define PAYLOAD_PAGES   64U
#define MAIN_PAGES      256U /* stack of the boot CPU's payload */

struct arm_cpu arm_cpus[ARCH_MAX_CPUS];
static unsigned count;

unsigned arch_cpu_count(void)
{
	return count;
}

static inline bool cpus_lies_in(uint64_t sp, uint64_t top, uint64_t size, uint64_t *low,
                                uint64_t *high)
{
	*low = top - size;
	*high = top;
	return top && sp - *low <= size;
}

/* Ordered by likelihood: most samples are on the first stack. */
bool arch_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
	const struct arm_cpu *cpu = arm_this_cpu();

	return cpus_lies_in(sp, cpu->payload_top, cpu->payload_size, low, high) ||
	       cpus_lies_in(sp, cpu->thread_top, cpu->thread_size, low, high) ||
	       cpus_lies_in(sp, cpu->exception_top, EXCEPTION_PAGES * ARCH_PAGE, low, high) ||
	       cpus_lies_in(sp, cpu->panic_top, PANIC_PAGES * ARCH_PAGE, low, high) ||
	       (arm_machine.hosted &&
	        cpus_lies_in(sp, arm_machine.hosted_stack.high,
	                     arm_machine.hosted_stack.high - arm_machine.hosted_stack.low, low,
	                     high));
}

/* Leave the page at *at unmapped, make the next pages a stack, and move *at behind them. */
static int cpus_carve(uint64_t *at, unsigned pages, uint64_t *top, arm_hole_fn hole)
{
	int code = hole(*at);

	*at += (pages + 1) * ARCH_PAGE;
	*top = *at;
	return code;
}

/* Entered at EL1, the payload runs on our thread's stack, as a plain call. */
static int cpus_make_stacks(struct arm_cpu *cpu, arch_alloc_pages_fn alloc, arm_hole_fn hole)
{
	bool below = arm_machine.el == 2;
	unsigned payload = cpu->index ? PAYLOAD_PAGES : MAIN_PAGES;
	unsigned thread = below ? THREAD_PAGES : payload;
	unsigned pages = EXCEPTION_PAGES + PANIC_PAGES + thread + 3 + (below ? payload + 1 : 0);
	uint64_t at = (uint64_t)alloc(pages);
	int code;

	if (!at)
		return -ENOMEM;
	cpu->thread_size = thread * ARCH_PAGE;
	cpu->payload_size = payload * ARCH_PAGE;
	code = cpus_carve(&at, EXCEPTION_PAGES, &cpu->exception_top, hole);
	if (!code)
		code = cpus_carve(&at, PANIC_PAGES, &cpu->panic_top, hole);
	if (!code)
		code = cpus_carve(&at, thread, &cpu->thread_top, hole);
	if (!code && below)
		code = cpus_carve(&at, payload, &cpu->payload_top, hole);
	return code;
}

static int cpus_add_cpu(const struct arch_platform_cpu *named, arch_alloc_pages_fn alloc,
                        arm_hole_fn hole)
{
	struct arm_cpu *cpu = &arm_cpus[count];

	cpu->mpidr = named->hw_id & MPIDR_AFFINITY;
	cpu->index = count++;
	cpu->pmu_interrupt = named->pmu_interrupt;
	cpu->pmu_edge = named->pmu_edge;
	return cpus_make_stacks(cpu, alloc, hole);
}

int arm_cpus_init(const struct arch_platform *platform, arch_alloc_pages_fn alloc, arm_hole_fn hole)
{
	unsigned cpus = psci_available() ? platform->cpu_count : 1;
	int code = 0;

	count = 0;
	for (unsigned i = 0; !code && i < cpus; i++)
		code = cpus_add_cpu(&platform->cpus[i], alloc, hole);
	return code;
}

void arm_cpus_init_hosted(void)
{
	count = 1;
}
