/* SPDX-License-Identifier: MIT */
/* Taking over the machine: saving the firmware's state, loading ours, and the way back. */
#include <errno.h>

#include "arch/takeover.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/legacy.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/platform.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/saved.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/time/clock.h"

struct x86_cpu x86_cpus[ARCH_MAX_CPUS];
const struct arch_platform *x86_platform;

/* Pages of each stack. The payload runs on the thread's stack as well; newlib's printf needs some 4
 * KiB. */
#define BOOT_CPU_THREAD_PAGES 256U
static const uint16_t stack_pages[NR_STACKS] = {
	[STACK_THREAD] = 64, [STACK_INTERRUPT] = 8, [STACK_NMI] = 8,
	[STACK_DF] = 4,      [STACK_MC] = 4,        [STACK_DB] = 8,
};

static struct x86_saved firmware;
static bool taken;

/* The page below each stack is not mapped, so a stack overflow faults. */
static int takeover_prepare_cpu(unsigned cpu, arch_alloc_pages_fn alloc)
{
	for (unsigned i = 0; i < NR_STACKS; i++) {
		unsigned pages = cpu == 0 && i == STACK_THREAD ? BOOT_CPU_THREAD_PAGES
		                                               : stack_pages[i];
		uint64_t guard = (uint64_t)alloc(pages + 1);
		int code;

		if (guard == 0)
			return -ENOMEM;
		code = paging_unmap_page(guard);
		if (code != 0)
			return code;
		x86_cpus[cpu].stacks[i].low = guard + ARCH_PAGE;
		x86_cpus[cpu].stacks[i].high = guard + ARCH_PAGE + pages * ARCH_PAGE;
	}
	descriptors_init_cpu(cpu);
	return 0;
}

static int takeover_map_device(uint64_t address, uint64_t size)
{
	const struct arch_mapping device = { address, size, ARCH_MAP_DEVICE };

	return address == 0 ? 0 : paging_map(&device);
}

static int takeover_map_devices(const struct arch_platform *platform)
{
	int code = takeover_map_device(apic_address(), ARCH_PAGE);

	if (code == 0)
		code = takeover_map_device(platform->hpet, 1024);
	if (code == 0 && platform->pm_timer_space == 0)
		code = takeover_map_device(platform->pm_timer, 4);
	for (unsigned i = 0; i < platform->ioapic_count && code == 0; i++)
		code = takeover_map_device(platform->ioapics[i], ARCH_PAGE);
	return code;
}

static int takeover_map_trampoline(const struct arch_platform *platform)
{
	const struct arch_mapping code = { platform->low_memory, ARCH_PAGE, ARCH_MAP_CODE };

	return platform->low_memory == 0 ? 0 : paging_map(&code);
}

/* Enable SSE, which UEFI 2.10, 2.3.4 demands of firmware but U-Boot leaves off: newlib's qsort()
 * uses it. */
void arch_begin(void)
{
	x86_write_cr4(x86_read_cr4() | CR4_OSFXSR | CR4_OSXMMEXCPT);
}

int arch_prepare(const struct arch_platform *platform, const struct arch_mapping *maps,
                 unsigned count, arch_alloc_pages_fn alloc)
{
	int code = paging_init(alloc);

	x86_platform = platform;
	for (unsigned i = 0; i < count && code == 0; i++)
		code = paging_map(&maps[i]);
	if (code == 0)
		code = takeover_map_devices(platform);
	if (code == 0)
		code = takeover_map_trampoline(platform);
	apic_discover();
	smp_init(platform);
	for (unsigned cpu = 0; cpu < arch_cpu_count() && code == 0; cpu++)
		code = takeover_prepare_cpu(cpu, alloc);
	if (code == 0)
		code = smp_prepare(platform, alloc);
	if (code == 0)
		descriptors_init();
	return code;
}

/* A shadow stack of the firmware would not match the calls that have returned meanwhile. */
int arch_keep_firmware(void)
{
	if (x86_read_cr4() & CR4_CET)
		return -ENOTSUP;
	smp_keep_firmware();
	return 0;
}

int arch_take_over(int (*story)(void *arg), void *arg)
{
	arch_irq_save();
	x86_take_cpu(0, &firmware);
	legacy_take_over();
	taken = true;
	return x86_call_on_stack(story, arg, x86_cpus[0].stacks[STACK_THREAD].high);
}

void arch_give_back(void)
{
	if (!taken)
		return;
	arch_irq_save();
	clock_give_back();
	legacy_give_back();
	x86_give_cpu(0, &firmware);
	interrupts_give_back();
	x86_first_task = UINT32_MAX; /* TR is the firmware's again */
	taken = false;
}
