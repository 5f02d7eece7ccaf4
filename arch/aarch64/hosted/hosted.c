/* SPDX-License-Identifier: MIT */
/*
 * The firmware goes on, and we are its guest. It masks IRQs (UEFI 2.10, 7.1: TPL), so ours are
 * FIQs where they can be, else IRQs as well; of a timer that it leaves alone: at EL2 the
 * hypervisor's physical one, at EL1 the physical one or the virtual one.
 */
#include <errno.h>

#include "arch/aarch64/call.h"
#include "arch/aarch64/cpus.h"
#include "arch/aarch64/hosted/hosted_choice.h"
#include "arch/aarch64/hosted/hosted_entry.h"
#include "arch/aarch64/hosted/hosted_irq.h"
#include "arch/aarch64/interrupt/gic.h"
#include "arch/aarch64/interrupt/gicv3.h"
#include "arch/aarch64/interrupt/gicv3_group0.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/saved.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/takeover.h"
#include "arch/hosted.h"

#define EXCEPT_AARCH64_FIQ 2 /* PI 1.7, volume 2, 12.3.4.3; EDK2's DebugSupport.h */

static struct {
	arch_hand_on_fn hand_on;
	const char *misses; /* ours come as IRQ, and why; NULL: as FIQ */
	struct pmu_saved pmu;
	uint64_t daif, sp_el0, tpidr, mdcr;
} joined;

/* ---- The machine ---- */

static const char *join_find_timer(void)
{
	const uint64_t control[] = {
		arm_machine.el == 2 ? read_sysreg(cnthp_ctl_el2) : 0,
		read_sysreg(cntp_ctl_el0),
		read_sysreg(cntv_ctl_el0),
	};

	return join_choose_timer(arm_machine.el, control, &arm_machine.timer);
}

static const char *join_find_machine(const struct arch_platform *platform)
{
	struct arm_cpu *cpu = &arm_cpus[0];

	arm_machine.platform = platform;
	arm_machine.el = current_el();
	cpu->mpidr = platform->cpus[0].hw_id & MPIDR_AFFINITY;
	cpu->index = 0;
	cpu->pmu_interrupt = platform->cpus[0].pmu_interrupt;
	cpu->pmu_edge = platform->cpus[0].pmu_edge;
	return join_find_timer();
}

/* ---- FIQ or IRQ ---- */

static int join_ppi_enable(uint32_t intid, bool urgent)
{
	(void)urgent;
	return join_irq_enable(intid);
}

/* It comes by the firmware's routing, to the CPU that it runs on. */
static int join_spi_enable(uint32_t intid, bool edge)
{
	(void)edge;
	return join_irq_enable(intid);
}

static const struct gic_ops join_irq_ops = {
	.ppi_enable = join_ppi_enable,
	.ppi_disable = join_irq_disable,
	.spi_enable = join_spi_enable,
	.spi_disable = join_irq_disable,
};

/* By system registers; as a GICv2 it has its registers elsewhere. */
static bool join_has_system_registers(void)
{
	return (current_el() == 2 ? read_sysreg(icc_sre_el2) : read_sysreg(icc_sre_el1)) &
	       ICC_SRE_SRE;
}

/* NULL; or why not, a phrase. */
static const char *join_by_fiq(const struct arch_platform *platform, arch_hand_on_fn hand_on)
{
	struct arm_cpu *cpu = &arm_cpus[0];
	struct join_controller controller = { 0 };
	const char *why;

	if (gic_discover(platform) == 0 && gic == &gicv3_ops) {
		cpu->gicr = gicv3_redistributor(cpu->mpidr);
		controller = (struct join_controller){
			.gicd = (volatile uint8_t *)platform->gicd,
			.is_gicv3 = true,
			.has_redistributor = cpu->gicr,
			.has_system_registers = join_has_system_registers(),
		};
	}
	why = join_refuse_fiq(&controller);
	if (why)
		return why;
	if (hand_on(EXCEPT_AARCH64_FIQ, join_entry_fiq) != 0)
		return join_no_fiq_handed_on;
	gicv3_group0_begin(platform, cpu->gicr);
	gic = &gicv3_group0_ops;
	return NULL;
}

/* The timer, which is off, is asked for first: without it there is nothing. */
static const char *join_by_irq(const struct arch_join_interrupts *interrupts)
{
	if (!interrupts)
		return "the firmware hands on neither FIQs nor IRQs "
		       "(EFI_HARDWARE_INTERRUPT_PROTOCOL)";
	join_irq_begin(interrupts, join_entry_irq);
	if (join_irq_enable(arm_timer_interrupt()) != 0)
		return "the firmware does not hand on the timer's interrupt "
		       "(EFI_HARDWARE_INTERRUPT_PROTOCOL)";
	gic = &join_irq_ops;
	return NULL;
}

static const char *join_have_interrupts(const struct arch_platform *platform,
                                        const struct arch_join_firmware *firmware)
{
	joined.misses = join_by_fiq(platform, firmware->hand_on);
	return joined.misses ? join_by_irq(firmware->interrupts) : NULL;
}

static void join_end_interrupts(void)
{
	if (arm_machine.by_irq) {
		join_irq_end();
		return;
	}
	gicv3_group0_end();
	joined.hand_on(EXCEPT_AARCH64_FIQ, NULL);
}

const char *arch_join_misses(void)
{
	return joined.misses;
}

/* ---- From the first to the last ---- */

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

/* Of DAIF F alone is ours. */
static void join_restore_f(uint64_t daif)
{
	if (!(daif & PSTATE_F))
		arm_fiq_unmask();
}

int arch_join(const struct arch_platform *platform, const struct arch_join_firmware *firmware,
              const char **why)
{
	uint64_t daif = read_sysreg(daif);

	arm_fiq_mask();
	*why = join_find_machine(platform);
	if (!*why)
		*why = join_have_interrupts(platform, firmware);
	if (*why) {
		joined.misses = NULL;
		join_restore_f(daif);
		return -ENODEV;
	}
	joined.hand_on = firmware->hand_on;
	joined.daif = daif;
	joined.sp_el0 = read_sysreg(sp_el0);
	joined.tpidr = join_swap_tpidr((uint64_t)&arm_cpus[0]);
	arm_save_pmu(&joined.pmu);
	if (arm_machine.el == 2) {
		joined.mdcr = read_sysreg(mdcr_el2);
		arm_own_counters();
	}
	join_entry_begin(firmware->interrupts);
	mmu_clean(arm_mmu_switch, arm_mmu_switch_end);
	arm_machine.cntvoff = join_physical_offset();
	arm_machine.joined = true;
	arm_machine.by_irq = joined.misses;
	arm_machine.joined_stack = firmware->stack;
	arch_irq_disable();
	if (arm_machine.by_irq)
		join_restore_f(daif);
	arm_cpus_join();
	return 0;
}

uint64_t arch_join_mask(void)
{
	return read_sysreg(daif);
}

void arch_join_unmask(uint64_t mask)
{
	join_restore_f(mask);
}

/* Who changes the vectors keeps those who asked for exceptions. Who may call boot services is in
 * the firmware's translation. */
void arch_join_again(void)
{
	uint64_t interrupts;

	if (!arm_machine.joined)
		return;
	interrupts = arch_irq_save();
	join_entry_again();
	arch_irq_restore(interrupts);
}

void arch_part(void)
{
	if (!arm_machine.joined)
		return;
	arch_irq_disable();
	arch_timer_disarm();
	join_end_interrupts();
	arm_restore_pmu(&joined.pmu);
	if (arm_machine.el == 2)
		write_sysreg(mdcr_el2, joined.mdcr);
	join_swap_tpidr(joined.tpidr);
	write_sysreg(sp_el0, joined.sp_el0);
	arm_machine.joined = false;
	if (!arm_machine.by_irq)
		join_restore_f(joined.daif);
}
