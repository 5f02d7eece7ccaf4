/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/cpus.h"

#include <errno.h>

#include "arch/aarch64/own.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/sysreg.h"

#define PAGE 4096U

/* Pages of each stack; one more below each stays a hole. */
#define EXCEPTION_PAGES 4U
#define PANIC_PAGES     4U
#define THREAD_PAGES    16U
#define PAYLOAD_PAGES   64U

struct arm_cpu arm_cpus[ARCH_MAX_CPUS];
static unsigned count;

unsigned arch_cpu_count(void)
{
	return count;
}

static inline bool lies_in(uint64_t sp, uint64_t top, uint64_t pages, uint64_t *low, uint64_t *high)
{
	*low = top - pages * PAGE;
	*high = top;
	return top && sp - *low <= pages * PAGE;
}

/* The likeliest first: what is sampled runs on it. */
bool arch_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high)
{
	const struct arm_cpu *cpu = arm_this_cpu();

	return lies_in(sp, cpu->payload_top, PAYLOAD_PAGES, low, high) ||
	       lies_in(sp, cpu->thread_top, THREAD_PAGES, low, high) ||
	       lies_in(sp, cpu->exception_top, EXCEPTION_PAGES, low, high) ||
	       lies_in(sp, cpu->panic_top, PANIC_PAGES, low, high);
}

/* Make the page at *at a hole and a stack of what follows; move *at behind it. */
static int cpus_carve(uint64_t *at, unsigned pages, uint64_t *top, arm_hole_fn hole)
{
	int code = hole(*at);

	*at += (pages + 1) * PAGE;
	*top = *at;
	return code;
}

static int make_stacks(struct arm_cpu *cpu, arch_alloc_pages_fn alloc, arm_hole_fn hole)
{
	bool below = arm_machine.el == 2;
	unsigned pages = EXCEPTION_PAGES + PANIC_PAGES + THREAD_PAGES + 3 +
	                 (below ? PAYLOAD_PAGES + 1 : 0);
	uint64_t at = (uint64_t)alloc(pages);
	int code;

	if (!at)
		return -ENOMEM;
	code = cpus_carve(&at, EXCEPTION_PAGES, &cpu->exception_top, hole);
	if (!code)
		code = cpus_carve(&at, PANIC_PAGES, &cpu->panic_top, hole);
	if (!code)
		code = cpus_carve(&at, THREAD_PAGES, &cpu->thread_top, hole);
	if (!code && below)
		code = cpus_carve(&at, PAYLOAD_PAGES, &cpu->payload_top, hole);
	return code;
}

static int add_cpu(const struct arch_platform_cpu *named, arch_alloc_pages_fn alloc,
                   arm_hole_fn hole)
{
	struct arm_cpu *cpu = &arm_cpus[count];

	cpu->mpidr = named->hw_id & MPIDR_AFFINITY;
	cpu->index = count++;
	cpu->pmu_interrupt = named->pmu_interrupt;
	cpu->pmu_edge = named->pmu_edge;
	return make_stacks(cpu, alloc, hole);
}

int arm_cpus_init(const struct arch_platform *platform, arch_alloc_pages_fn alloc, arm_hole_fn hole)
{
	unsigned cpus = psci_available() ? platform->cpu_count : 1;
	int code = 0;

	count = 0;
	for (unsigned i = 0; !code && i < cpus; i++)
		code = add_cpu(&platform->cpus[i], alloc, hole);
	return code;
}
