/* SPDX-License-Identifier: MIT */
/*
 * Takes over the machine and gives it back. bareperf stays at the exception level where UEFI runs
 * (UEFI 2.10, 2.3.6: EL2 or EL1). At EL2 HCR_EL2.E2H is always 0, so that TCR, CPTR and CNTHCTL
 * have only one layout, with FEAT_VHE and without.
 */
#include "arch/aarch64/takeover.h"

#include <errno.h>

#include "arch/aarch64/cpus.h"
#include "arch/aarch64/interrupt/gic.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/saved.h"
#include "arch/aarch64/smp.h"
#include "arch/aarch64/sysreg.h"
#include "arch/takeover.h"

#define ID_AA64MMFR4_E2H0  24 /* 0: E2H may be 0 */
#define ID_AA64DFR0_PMUVER 8
#define PMCR_N             11
#define MDCR_HPMN_MASK     0x1fUL
#define HCR_OURS           (HCR_RW | HCR_IMO | HCR_FMO | HCR_AMO | HCR_API | HCR_APK)

struct arm_machine arm_machine;

static struct mmu_tables tables, payload_tables; /* the second one at EL2 only */
static struct arm_saved saved;
static bool taken;
static bool stays; /* the firmware stays, with its boot services */

static int takeover_map_both(const struct arch_mapping *map)
{
	int code = mmu_map(&tables, map);

	return code || arm_machine.el == 1 ? code : mmu_map(&payload_tables, map);
}

static int takeover_hole_in_both(uint64_t page)
{
	int code = mmu_unmap_page(&tables, page);

	return code || arm_machine.el == 1 ? code : mmu_unmap_page(&payload_tables, page);
}

static int takeover_map_device(void *context, uint64_t address, uint64_t size)
{
	const struct arch_mapping map = { address, size, ARCH_MAP_DEVICE };

	(void)context;
	return takeover_map_both(&map);
}

/* Code that was written as data, such as a payload's, must leave the data cache before it is
 * fetched. Each CPU invalidates its instruction cache when it switches to our translation. */
static int takeover_map_for_caller(const struct arch_mapping *map)
{
	int code = takeover_map_both(map);

	if (!code && map->type == ARCH_MAP_CODE)
		mmu_clean((const void *)map->address, (const void *)(map->address + map->size));
	return code;
}

static int takeover_map_all(const struct arch_platform *platform, const struct arch_mapping *maps,
                            unsigned count)
{
	int code = 0;

	for (unsigned i = 0; !code && i < count; i++)
		code = takeover_map_for_caller(&maps[i]);
	if (!code)
		code = gic_map_devices(platform, takeover_map_device, NULL);
	return code;
}

static int takeover_make_tables(arch_alloc_pages_fn alloc)
{
	int code = mmu_tables_init(&tables, arm_machine.el == 2 ? MMU_EL2 : MMU_EL1, alloc);

	if (!code && arm_machine.el == 2)
		code = mmu_tables_init(&payload_tables, MMU_EL1, alloc);
	return code;
}

static void takeover_choose_registers(void)
{
	struct arm_mmu *mmu = &arm_machine.mmu, *below = &arm_machine.payload_mmu;
	uint64_t flags = SCTLR_M | SCTLR_C | SCTLR_I | SCTLR_SA | SCTLR_WXN;
	bool el2 = arm_machine.el == 2;

	mmu->sctlr = flags | (el2 ? SCTLR_EL2_RES1 : SCTLR_EL1_RES1);
	mmu->tcr = mmu_tcr(el2 ? MMU_EL2 : MMU_EL1);
	mmu->ttbr0 = (uint64_t)tables.root;
	mmu->mair = mmu_mair();
	mmu->hcr = HCR_OURS;
	if (!el2)
		return;
	below->sctlr = flags | SCTLR_EL1_RES1;
	below->tcr = mmu_tcr(MMU_EL1);
	below->ttbr0 = (uint64_t)payload_tables.root;
	below->mair = mmu_mair();
	arm_machine.cntvoff = read_sysreg(cntvoff_el2);
}

/* Some CPUs support only E2H = 1 (FEAT_E2H0 absent); they cannot be taken over. */
static bool takeover_e2h_is_fixed(void)
{
	return arm_machine.el == 2 && read_sysreg(hcr_el2) & HCR_E2H &&
	       (read_sysreg(S3_0_C0_C7_4) >> ID_AA64MMFR4_E2H0 & 0xf) != 0;
}

void arch_begin(void)
{
}

int arch_prepare(const struct arch_platform *platform, const struct arch_mapping *maps,
                 unsigned count, arch_alloc_pages_fn alloc)
{
	int code;

	arm_machine.platform = platform;
	arm_machine.el = current_el();
	arm_machine.timer = arm_machine.el == 2 ? ARM_TIMER_HYPERVISOR : ARM_TIMER_VIRTUAL;
	if (takeover_e2h_is_fixed())
		return -ENOTSUP;
	psci_init(platform, arm_machine.el);
	code = gic_discover(platform);
	if (!code)
		code = takeover_make_tables(alloc);
	if (!code)
		code = takeover_map_all(platform, maps, count);
	if (!code)
		code = arm_cpus_init(platform, alloc, takeover_hole_in_both);
	if (!code)
		takeover_choose_registers();
	mmu_clean(arm_mmu_switch, arm_mmu_switch_end);
	return code;
}

/* The counters that EL1 may use: all of them, if there is a PMU. */
static uint64_t takeover_all_counters(void)
{
	uint64_t version = read_sysreg(id_aa64dfr0_el1) >> ID_AA64DFR0_PMUVER & 0xf;

	if (!version || version == 0xf)
		return 0;
	return read_sysreg(pmcr_el0) >> PMCR_N & MDCR_HPMN_MASK;
}

/* E2PB 0: SPE's buffer uses EL2's translation. */
void arm_own_counters(void)
{
	write_sysreg(mdcr_el2, takeover_all_counters());
}

static void takeover_el2(const struct arm_cpu *cpu)
{
	const struct arm_mmu *below = &arm_machine.payload_mmu;

	write_sysreg(tpidr_el2, (uint64_t)cpu);
	write_sysreg(vbar_el2, (uint64_t)gic->vectors_el2);
	write_sysreg(cptr_el2, CPTR_EL2_VALUE & ~(has_sve() ? CPTR_EL2_TZ : 0));
	write_sysreg(cnthctl_el2, CNTHCTL_EL1PCTEN | CNTHCTL_EL1PCEN);
	write_sysreg(cntvoff_el2, arm_machine.cntvoff);
	arm_own_counters();
	write_sysreg(vpidr_el2, read_sysreg(midr_el1));
	write_sysreg(vmpidr_el2, read_sysreg(mpidr_el1));
	write_sysreg(hstr_el2, 0);
	write_sysreg(mair_el1, below->mair);
	write_sysreg(tcr_el1, below->tcr);
	write_sysreg(ttbr0_el1, below->ttbr0);
	write_sysreg(vbar_el1, (uint64_t)arm_vectors_payload);
	write_sysreg(tpidr_el1, (uint64_t)cpu);
	isb();
	write_sysreg(sctlr_el1, below->sctlr);
}

void arm_cpu_own(struct arm_cpu *cpu)
{
	if (arm_machine.el == 2) {
		takeover_el2(cpu);
	} else {
		write_sysreg(tpidr_el1, (uint64_t)cpu);
		write_sysreg(vbar_el1, (uint64_t)gic->vectors_el1);
	}
	write_sysreg(cpacr_el1, CPACR_EL1_FPEN | (has_sve() ? CPACR_EL1_ZEN : 0));
	isb();
}

/* Software above EL2 must permit SVE, and its full vector length, if the CPU has it; Linux demands
 * the same. */
void arm_vectors_longest(void)
{
	if (!has_sve())
		return;
	if (arm_machine.el == 2)
		write_sysreg(S3_4_C1_C2_0, ZCR_LONGEST);
	write_sysreg(S3_0_C1_C2_0, ZCR_LONGEST);
	isb();
}

void arm_unmask_urgent(void)
{
	if (arm_masks_by_priority)
		asm volatile("msr daifclr, #7" : : : "memory");
	else
		asm volatile("msr daifclr, #4" : : : "memory");
}

struct call {
	int (*story)(void *arg);
	void *arg;
};

/* Take interrupts that are on their way to us, from another CPU for example: the firmware has no
 * handler for them. */
static void takeover_drain_interrupts(void)
{
	arch_timer_disarm();
	arch_irq_enable();
	isb();
	arch_irq_disable();
}

/* Runs on our own stacks; SErrors are reported from here on. */
static int takeover_run_story(void *context)
{
	const struct call *call = context;
	int code;

	arm_unmask_urgent();
	code = call->story(call->arg);
	takeover_drain_interrupts();
	return code;
}

/* Always possible: arch_give_back() can undo every change. */
int arch_keep_firmware(void)
{
	stays = true;
	return 0;
}

int arch_take_over(int (*story)(void *arg), void *arg)
{
	struct call call = { story, arg };
	int code;

	arm_save_translation(&saved);
	taken = true;
	asm volatile("msr daifset, #15" : : : "memory");
	arm_mmu_switch(&arm_machine.mmu);
	arm_save(&saved);
	arm_cpu_own(&arm_cpus[0]);
	arm_save_vectors(&saved);
	arm_vectors_longest();
	if (stays)
		arm_save_pmu(&saved.pmu);
	gic->take(&saved.gic);
	code = gic->cpu_init(&arm_cpus[0]);
	if (code)
		return code;
	return arm_call_on_stacks(takeover_run_story, &call, arm_cpus[0].thread_top,
	                          arm_cpus[0].exception_top);
}

/* Firmware's code runs on SP_ELx, and a thread must not write SP_EL0 while it uses it. So the
 * thread continues on the same stack through SP_ELx. */
static void takeover_leave_thread_stack(void)
{
	asm volatile("mov x9, sp\n\tmsr spsel, #1\n\tmov sp, x9" : : : "x9", "memory");
}

void arch_give_back(void)
{
	if (!taken)
		return;
	asm volatile("msr daifset, #15" : : : "memory");
	takeover_leave_thread_stack();
	arm_cpus_off();
	arch_timer_disarm();
	if (stays)
		arm_restore_pmu(&saved.pmu);
	gic->give(&saved.gic);
	arm_restore_vectors(&saved);
	arm_restore(&saved);
	arm_mmu_switch(&saved.mmu);
	taken = false;
}
