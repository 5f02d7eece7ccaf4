/* SPDX-License-Identifier: MIT */
/*
 * The firmware goes on, and we are its guest. It masks IRQs (UEFI 2.10, 7.1: TPL), so ours are
 * FIQs, of a timer that it leaves alone: at EL2 the hypervisor's physical one, at EL1 the physical
 * one. Its own vectors bring them to us, by EFI_CPU_ARCH_PROTOCOL, with registers and stack as they
 * were; EDK2's mask FIQs themselves until they have saved what a nested one would overwrite, and
 * from where they restore it. Code that has loaded page tables of its own has the firmware's
 * vectors in them, with what those use, and this image; our devices and rings need not be there.
 */
#include <errno.h>

#include "arch/aarch64/call.h"
#include "arch/aarch64/cpus.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/gicv3.h"
#include "arch/aarch64/gicv3_group0.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/own.h"
#include "arch/aarch64/regs.h"
#include "arch/aarch64/saved.h"
#include "arch/aarch64/sysreg.h"
#include "arch/join.h"

/* EFI_SYSTEM_CONTEXT_AARCH64 and its exceptions (PI 1.7, volume 2, 12.3.4.3; EDK2's
 * DebugSupport.h): 64-bit words */
#define EXCEPT_AARCH64_FIQ 2
#define CONTEXT_FP         29
#define CONTEXT_LR         30
#define CONTEXT_SP         31
#define CONTEXT_ELR        96

static struct {
	arch_hand_on_fn hand_on;
	struct pmu_saved pmu;
	uint64_t daif, sp_el0, tpidr, mdcr;
	struct arm_saved firmware; /* its translation alone */
} joined;

/* In another translation than the firmware's: what cannot lie on the interrupted stack. */
static struct {
	struct arm_saved theirs;
	struct arch_regs regs;
	uint8_t stack[16384] __attribute__((aligned(16)));
} elsewhere;

static bool join_is_timer_free(void)
{
	return !((current_el() == 2 ? read_sysreg(cnthp_ctl_el2) : read_sysreg(cntp_ctl_el0)) &
	         CNT_CTL_ENABLE);
}

static bool join_is_elsewhere(const struct arm_mmu *now)
{
	const struct arm_mmu *usual = &joined.firmware.mmu;

	return now->ttbr0 != usual->ttbr0 || now->tcr != usual->tcr || now->mair != usual->mair;
}

static void join_joined_handle(const struct arch_regs *regs)
{
	arm_save_translation(&elsewhere.theirs);
	if (!join_is_elsewhere(&elsewhere.theirs.mmu)) {
		gicv3_group0_interrupt(regs);
		return;
	}
	elsewhere.regs = *regs;
	arm_call_translated(&joined.firmware.mmu, &elsewhere.theirs.mmu,
	                    elsewhere.stack + sizeof(elsewhere.stack), gicv3_group0_interrupt,
	                    &elsewhere.regs);
}

/* arch_regs_sp() finds the stack pointer where a thread of ours has it: firmware uses SP_ELx. */
static void join_joined_fiq(intptr_t type, void *context)
{
	const uint64_t *words = context;
	struct arch_regs regs;

	(void)type;
	regs.fp = words[CONTEXT_FP];
	regs.pc = words[CONTEXT_ELR];
	regs.x30 = words[CONTEXT_LR];
	regs.vector = VECTOR_INTERRUPT;
	write_sysreg(sp_el0, words[CONTEXT_SP]);
	join_joined_handle(&regs);
}

static const char *join_find_machine(const struct arch_platform *platform)
{
	struct arm_cpu *cpu = &arm_cpus[0];

	arm_machine.platform = platform;
	arm_machine.el = current_el();
	if (gic_discover(platform) != 0 || gic != &gicv3_ops)
		return "the interrupt controller is no GICv3: what comes as FIQ there is not ours";
	if (!join_is_timer_free())
		return "no timer that the firmware leaves to us: the physical one is in use";
	cpu->mpidr = platform->cpus[0].hw_id & MPIDR_AFFINITY;
	cpu->index = 0;
	cpu->pmu_interrupt = platform->cpus[0].pmu_interrupt;
	cpu->pmu_edge = platform->cpus[0].pmu_edge;
	cpu->gicr = gicv3_redistributor(cpu->mpidr);
	return cpu->gicr ? NULL : "the tables name no redistributor of this CPU's";
}

static uint64_t join_swap_tpidr(uint64_t value)
{
	uint64_t before;

	if (arm_machine.el == 2) {
		before = read_sysreg(tpidr_el2);
		write_sysreg(tpidr_el2, value);
	} else {
		before = read_sysreg(tpidr_el1);
		write_sysreg(tpidr_el1, value);
	}
	return before;
}

/* From the virtual counter to the physical one. */
static uint64_t join_physical_offset(void)
{
	if (arm_machine.el == 2)
		return read_sysreg(cntvoff_el2);
	isb();
	return read_sysreg(cntpct_el0) - read_sysreg(cntvct_el0);
}

/* Above its oldest frame record: what has called us, and goes on when we have returned, is in it.
 */
static uint64_t join_stack_top(void)
{
	const uint64_t *record = __builtin_frame_address(0), *from = record;

	while (record[0] > (uint64_t)record && record[0] % 16 == 0 &&
	       record[0] - (uint64_t)from < FIRMWARE_STACK)
		record = (const uint64_t *)record[0];
	return (uint64_t)(record + 2);
}

/* AAPCS64 6.4.6: x29 addresses a frame record, or is no use; compilers keep them unless told not
 * to.
 */
bool arch_join_assumes_frames(void)
{
	return true;
}

/* At a function's begin and end x29 is its caller's, whose record is as good: who stands between
 * the two is told by arch_join_leaf_return(). */
bool arch_join_has_frame(uint64_t pc, uint64_t start, uint64_t end)
{
	(void)pc;
	(void)start;
	(void)end;
	return true;
}

bool arch_join_is_return(uint64_t ret, uint64_t start)
{
	return call_returns_to(ret, start);
}

uint64_t arch_join_leaf_return(const struct arch_regs *regs, uint64_t start, uint64_t end,
                               uint64_t high)
{
	(void)high; /* what it returns to is in x30 */
	return call_is_leaf_of(regs->pc, regs->x30, start, end) ? regs->x30 : 0;
}

int arch_join(const struct arch_platform *platform, arch_hand_on_fn hand_on,
              struct arch_join_stack stack, const char **why)
{
	uint64_t daif = read_sysreg(daif);

	(void)stack; /* its records lead to its end */
	arm_fiq_mask();
	*why = join_find_machine(platform);
	if (!*why && hand_on(EXCEPT_AARCH64_FIQ, join_joined_fiq) != 0)
		*why = "the firmware hands on no FIQs (EFI_CPU_ARCH_PROTOCOL)";
	else if (!*why) {
		*why = gicv3_group0_begin(platform, arm_cpus[0].gicr);
		if (*why)
			hand_on(EXCEPT_AARCH64_FIQ, NULL);
	}
	if (*why) {
		write_sysreg(daif, daif);
		return -ENODEV;
	}
	joined.hand_on = hand_on;
	joined.daif = daif;
	joined.sp_el0 = read_sysreg(sp_el0);
	joined.tpidr = join_swap_tpidr((uint64_t)&arm_cpus[0]);
	arm_save_pmu(&joined.pmu);
	if (arm_machine.el == 2) {
		joined.mdcr = read_sysreg(mdcr_el2);
		arm_own_counters();
	}
	arm_save_translation(&joined.firmware);
	mmu_clean(arm_mmu_switch, arm_mmu_switch_end);
	arm_machine.cntvoff = join_physical_offset();
	arm_machine.joined = true;
	arm_machine.joined_stack = join_stack_top();
	gic = &gicv3_group0_ops;
	arm_cpus_join();
	return 0;
}

uint64_t arch_join_mask(void)
{
	return read_sysreg(daif);
}

void arch_join_unmask(uint64_t mask)
{
	if (!(mask & PSTATE_F))
		asm volatile("msr daifclr, #1" : : : "memory");
}

/* Who changes the vectors keeps those who asked for exceptions. Who may call boot services is in
 * the firmware's translation. */
void arch_join_again(void)
{
	uint64_t daif = read_sysreg(daif);

	if (!arm_machine.joined)
		return;
	arm_fiq_mask();
	arm_save_translation(&joined.firmware);
	write_sysreg(daif, daif);
}

void arch_part(void)
{
	if (!arm_machine.joined)
		return;
	arm_fiq_mask();
	arch_timer_disarm();
	gicv3_group0_end();
	arm_restore_pmu(&joined.pmu);
	if (arm_machine.el == 2)
		write_sysreg(mdcr_el2, joined.mdcr);
	joined.hand_on(EXCEPT_AARCH64_FIQ, NULL);
	join_swap_tpidr(joined.tpidr);
	write_sysreg(sp_el0, joined.sp_el0);
	arm_machine.joined = false;
	write_sysreg(daif, joined.daif);
}
