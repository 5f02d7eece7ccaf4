/* SPDX-License-Identifier: MIT */
/* Borrowing the machine: what is saved, what is loaded, and the way back. */
#include <errno.h>

#include "arch/x86_64/apic.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/descriptors.h"
#include "arch/x86_64/legacy.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/platform.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/smp.h"

#define PAGE 4096U

struct x86_cpu x86_cpus[ARCH_MAX_CPUS];
const struct arch_platform *x86_platform;

/* Pages of each stack. The thread's also holds the payload; newlib's printf wants some 4 KiB. */
#define BOOT_CPU_THREAD_PAGES 256U
static const uint16_t stack_pages[NR_STACKS] = {
	[STACK_THREAD] = 64, [STACK_INTERRUPT] = 8, [STACK_NMI] = 8,
	[STACK_DF] = 4,      [STACK_MC] = 4,        [STACK_DB] = 8,
};

static struct {
	bool taken;
	uint64_t cr0, cr3, cr4, efer, pat, fs_base, gs_base, dr7;
	struct descriptor_table gdtr, idtr;
	uint16_t cs, ss, tr;
} firmware;

/* The page below each stack is not mapped, so that running over it faults. */
static int prepare_cpu(unsigned cpu, arch_alloc_pages_fn alloc)
{
	for (unsigned i = 0; i < NR_STACKS; i++) {
		unsigned pages = cpu == 0 && i == STACK_THREAD ? BOOT_CPU_THREAD_PAGES
		                                               : stack_pages[i];
		uint64_t guard = (uint64_t)alloc(pages + 1);
		int result;

		if (guard == 0)
			return -ENOMEM;
		result = paging_unmap_page(guard);
		if (result != 0)
			return result;
		x86_cpus[cpu].stacks[i].low = guard + PAGE;
		x86_cpus[cpu].stacks[i].high = guard + PAGE + (uint64_t)pages * PAGE;
	}
	descriptors_init_cpu(cpu);
	return 0;
}

static int map_device(uint64_t address, uint64_t size)
{
	const struct arch_mapping device = { address, size, ARCH_MAP_DEVICE };

	return address == 0 ? 0 : paging_map(&device);
}

static int map_devices(const struct arch_platform *platform)
{
	int result = map_device(apic_address(), PAGE);

	if (result == 0)
		result = map_device(platform->hpet, 1024);
	if (result == 0 && platform->pm_timer_space == 0)
		result = map_device(platform->pm_timer, 4);
	for (unsigned i = 0; i < platform->ioapic_count && result == 0; i++)
		result = map_device(platform->ioapics[i], PAGE);
	return result;
}

static int map_trampoline(const struct arch_platform *platform)
{
	const struct arch_mapping code = { platform->low_memory, PAGE, ARCH_MAP_CODE };

	return platform->low_memory == 0 ? 0 : paging_map(&code);
}

int arch_prepare(const struct arch_platform *platform, const struct arch_mapping *maps,
                 unsigned count, arch_alloc_pages_fn alloc)
{
	int result = paging_init(alloc);

	x86_platform = platform;
	for (unsigned i = 0; i < count && result == 0; i++)
		result = paging_map(&maps[i]);
	if (result == 0)
		result = map_devices(platform);
	if (result == 0)
		result = map_trampoline(platform);
	smp_init(platform);
	for (unsigned cpu = 0; cpu < arch_cpu_count() && result == 0; cpu++)
		result = prepare_cpu(cpu, alloc);
	if (result != 0)
		return result;
	descriptors_init();
	smp_prepare(platform);
	return 0;
}

static void save_firmware(void)
{
	firmware.cr0 = x86_read_cr0();
	firmware.cr3 = x86_read_cr3();
	firmware.cr4 = x86_read_cr4();
	firmware.efer = rdmsr(IA32_EFER);
	firmware.pat = rdmsr(IA32_PAT);
	firmware.fs_base = rdmsr(IA32_FS_BASE);
	firmware.gs_base = rdmsr(IA32_GS_BASE);
	__asm__ volatile("movq %%dr7, %0" : "=r"(firmware.dr7));
	__asm__ volatile("sgdt %0" : "=m"(firmware.gdtr));
	__asm__ volatile("sidt %0" : "=m"(firmware.idtr));
	__asm__ volatile("str %0" : "=m"(firmware.tr));
	__asm__ volatile("movw %%cs, %0" : "=m"(firmware.cs));
	__asm__ volatile("movw %%ss, %0" : "=m"(firmware.ss));
}

/* No execution of data, no writing to read-only pages, SSE on; no shadow stack, since ours are not
 * the firmware's. */
static void load_ours(void)
{
	uint64_t cr4 = firmware.cr4 | CR4_OSFXSR | CR4_OSXMMEXCPT;

	x86_write_cr4(cr4 & ~CR4_CET);
	x86_write_cr0(firmware.cr0 | CR0_WP);
	wrmsr(IA32_EFER, firmware.efer | IA32_EFER_NXE);
	wrmsr(IA32_PAT, PAGING_PAT);
	x86_write_cr3(paging_root());
	__asm__ volatile("movq %0, %%dr7"
	                 :
	                 : "r"(0x400ULL)); /* no breakpoints; volume 3B, 18.2.4 */
	descriptors_load(0);
}

int arch_take_over(int (*story)(void *arg), void *arg)
{
	arch_irq_save();
	save_firmware();
	load_ours();
	apic_take_over();
	legacy_take_over(x86_platform);
	firmware.taken = true;
	return x86_call_on_stack(story, arg, x86_cpus[0].stacks[STACK_THREAD].high);
}

/* LTR refuses a segment that is marked busy, which the firmware's is. Bit 41: the type's busy bit.
 */
static void load_firmware_task(void)
{
	uint64_t *descriptor = (uint64_t *)(firmware.gdtr.base + (firmware.tr & ~7U));

	if (firmware.tr == 0)
		return; /* null cannot be loaded; ours stays and harms nobody */
	*descriptor &= ~(1ULL << 41);
	__asm__ volatile("ltr %0" : : "m"(firmware.tr));
}

void arch_give_back(void)
{
	if (!firmware.taken)
		return;
	arch_irq_save();
	arch_timer_disarm();
	legacy_give_back();
	apic_give_back();
	/* Page tables before EFER: without NXE our tables' XD bits are reserved ones. */
	x86_write_cr3(firmware.cr3);
	wrmsr(IA32_PAT, firmware.pat);
	wrmsr(IA32_EFER, firmware.efer);
	x86_write_cr0(firmware.cr0);
	x86_write_cr4(firmware.cr4 & ~CR4_CET);
	__asm__ volatile("lgdt %0" : : "m"(firmware.gdtr));
	x86_load_segments(firmware.cs, firmware.ss);
	load_firmware_task();
	__asm__ volatile("lidt %0" : : "m"(firmware.idtr));
	wrmsr(IA32_FS_BASE, firmware.fs_base);
	wrmsr(IA32_GS_BASE, firmware.gs_base);
	__asm__ volatile("movq %0, %%dr7" : : "r"(firmware.dr7));
	firmware.taken = false;
}
