/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/saved.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/registers.h"

#define CPUID_XSAVE (1U << 26) /* leaf 1, ECX; volume 2A */

#define DR7_NOTHING 0x400ULL /* no breakpoints; volume 3B, 18.2.4 */

static void saved_save_segments(struct x86_saved *s)
{
	__asm__ volatile("sgdt %0" : "=m"(s->gdtr));
	__asm__ volatile("sidt %0" : "=m"(s->idtr));
	__asm__ volatile("str %0" : "=m"(s->tr));
	__asm__ volatile("movw %%cs, %0" : "=m"(s->cs));
	__asm__ volatile("movw %%ss, %0" : "=m"(s->ss));
	__asm__ volatile("movw %%ds, %0" : "=m"(s->ds));
	__asm__ volatile("movw %%es, %0" : "=m"(s->es));
	__asm__ volatile("movw %%fs, %0" : "=m"(s->fs));
	__asm__ volatile("movw %%gs, %0" : "=m"(s->gs));
}

static void saved_save_control(struct x86_saved *s)
{
	s->cr0 = x86_read_cr0();
	s->cr3 = x86_read_cr3();
	s->cr4 = x86_read_cr4();
	s->efer = rdmsr(IA32_EFER);
	s->pat = rdmsr(IA32_PAT);
	s->fs_base = rdmsr(IA32_FS_BASE);
	s->gs_base = rdmsr(IA32_GS_BASE);
	s->kernel_gs_base = rdmsr(IA32_KERNEL_GS_BASE);
	__asm__ volatile("movq %%dr6, %0" : "=r"(s->dr6));
	__asm__ volatile("movq %%dr7, %0" : "=r"(s->dr7));
}

uint64_t x86_vectors_on(void)
{
	uint64_t before;

	x86_write_cr4(x86_read_cr4() | CR4_OSFXSR | CR4_OSXMMEXCPT);
	if (!(cpuid(1, 0).ecx & CPUID_XSAVE))
		return 0;
	x86_write_cr4(x86_read_cr4() | CR4_OSXSAVE);
	before = x86_read_xcr0();
	x86_write_xcr0(x86_vectors_xcr0(cpuid(0xd, 0), before));
	return before;
}

/* FXRSTOR restores SSE's registers. Dirty upper halves would slow down code that uses SSE without
 * AVX (Optimization Reference Manual, 15.3). */
static void saved_vectors_back(uint64_t xcr0)
{
	if (xcr0 == 0)
		return;
	if (x86_read_xcr0() & XCR0_AVX)
		__asm__ volatile("vzeroupper");
	x86_write_xcr0(xcr0);
}

/* Forbid the execution of data and writes to read-only pages. Turn the shadow stack off, because it
 * belongs to the firmware's stack and we use our own. */
static void saved_load_ours(unsigned cpu, struct x86_saved *s)
{
	x86_write_cr4(s->cr4 & ~CR4_CET);
	x86_write_cr0((s->cr0 & ~(CR0_EM | CR0_TS)) | CR0_WP);
	wrmsr(IA32_EFER, s->efer | IA32_EFER_NXE);
	wrmsr(IA32_PAT, PAGING_PAT);
	x86_write_cr3(paging_root());
	__asm__ volatile("movq %0, %%dr7" : : "r"(DR7_NOTHING));
	s->xcr0 = x86_vectors_on();
	descriptors_load(cpu);
}

void x86_take_cpu(unsigned cpu, struct x86_saved *saved)
{
	saved_save_segments(saved);
	saved_save_control(saved);
	saved_load_ours(cpu, saved);
	__asm__ volatile("fxsave64 %0" : "=m"(saved->fx));
	apic_take_over(&saved->apic);
	perfmon_save(&saved->perfmon);
}

/* Take interrupts that have arrived while masked (a timer's last shot, say): the firmware's table
 * has no handler for them. The instruction after STI runs before any interrupt. */
static void saved_drain_interrupts(void)
{
	__asm__ volatile("sti; nop; nop; cli" : : : "memory");
}

/* The firmware's busy 64-bit TSS, if TR names one. */
static uint64_t *saved_task_of(const struct x86_saved *s)
{
	uint64_t *descriptor = (uint64_t *)(s->gdtr.base + (s->tr & ~7U));

	if ((s->tr & ~7U) == 0 || (s->tr & ~7U) + 15U > s->gdtr.limit)
		return NULL;
	return (*descriptor & DESCRIPTOR_KIND) == DESCRIPTOR_BUSY_TASK ? descriptor : NULL;
}

/* LTR refuses a segment that is marked busy, as the firmware's is. Firmware without a TSS starts
 * with a null TR, which no instruction can load again. EDK2 saves and loads TR for each CPU that it
 * wakes, if its GDT has the entry. */
static void saved_load_task(unsigned cpu, const struct x86_saved *s)
{
	uint64_t *descriptor = saved_task_of(s);

	if (!descriptor)
		descriptors_park_task(cpu);
	__asm__ volatile("lgdt %0" : : "m"(s->gdtr));
	if (!descriptor)
		return;
	*descriptor &= ~DESCRIPTOR_BUSY;
	__asm__ volatile("ltr %0" : : "m"(s->tr));
}

/* Firmware may have loaded a selector from a table that it no longer uses, as U-Boot did with FS.
 * It cannot be loaded again, and in 64-bit mode only its base matters. VERR checks a selector
 * without a fault. */
static uint16_t saved_segment_of(uint16_t selector)
{
	bool is_there;

	__asm__ volatile("verr %1" : "=@ccz"(is_there) : "r"(selector));
	return is_there ? selector : 0;
}

/* Loading a selector clears its base, so the bases are restored afterwards. */
static void saved_load_segments(unsigned cpu, const struct x86_saved *s)
{
	saved_load_task(cpu, s);
	x86_load_segments(s->cs, s->ss);
	__asm__ volatile("movw %0, %%ds" : : "r"(saved_segment_of(s->ds)));
	__asm__ volatile("movw %0, %%es" : : "r"(saved_segment_of(s->es)));
	__asm__ volatile("movw %0, %%fs" : : "r"(saved_segment_of(s->fs)));
	__asm__ volatile("movw %0, %%gs" : : "r"(saved_segment_of(s->gs)));
	__asm__ volatile("lidt %0" : : "m"(s->idtr));
	wrmsr(IA32_FS_BASE, s->fs_base);
	wrmsr(IA32_GS_BASE, s->gs_base);
	wrmsr(IA32_KERNEL_GS_BASE, s->kernel_gs_base);
}

void x86_give_cpu(unsigned cpu, const struct x86_saved *saved)
{
	arch_timer_disarm();
	saved_drain_interrupts();
	perfmon_restore(&saved->perfmon);
	apic_give_back(&saved->apic);
	saved_vectors_back(saved->xcr0);
	__asm__ volatile("fxrstor64 %0" : : "m"(saved->fx));
	/* Page tables before EFER: without NXE our tables' XD bits are reserved ones. */
	x86_write_cr3(saved->cr3);
	wrmsr(IA32_PAT, saved->pat);
	wrmsr(IA32_EFER, saved->efer);
	x86_write_cr0(saved->cr0);
	x86_write_cr4(saved->cr4 & ~CR4_CET); /* arch_keep_firmware() */
	saved_load_segments(cpu, saved);
	__asm__ volatile("movq %0, %%dr6" : : "r"(saved->dr6));
	__asm__ volatile("movq %0, %%dr7" : : "r"(saved->dr7));
}
