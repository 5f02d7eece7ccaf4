/* SPDX-License-Identifier: MIT */
/*
 * Hosted mode: the firmware keeps running, and bareperf is its guest. The firmware masks IRQs (UEFI
 * 2.10, 7.1: TPL), so our interrupts are FIQs if possible, else IRQs like its own. They come from a
 * timer that the firmware does not use: at EL2 the hypervisor's physical timer, at EL1 the physical
 * or the virtual one.
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
	const char *misses; /* our interrupts come as IRQs: the reason; NULL: they come as FIQs */
	struct pmu_saved pmu;
	uint64_t daif, sp_el0, tpidr, mdcr;
} hosted;

/* ---- The machine ---- */

static const char *hosted_find_timer(void)
{
	const uint64_t control[] = {
		arm_machine.el == 2 ? read_sysreg(cnthp_ctl_el2) : 0,
		read_sysreg(cntp_ctl_el0),
		read_sysreg(cntv_ctl_el0),
	};

	return hosted_choose_timer(arm_machine.el, control, &arm_machine.timer);
}

static const char *hosted_find_machine(const struct arch_platform *platform)
{
	struct arm_cpu *cpu = &arm_cpus[0];

	arm_machine.platform = platform;
	arm_machine.el = current_el();
	cpu->mpidr = platform->cpus[0].hw_id & MPIDR_AFFINITY;
	cpu->index = 0;
	cpu->pmu_interrupt = platform->cpus[0].pmu_interrupt;
	cpu->pmu_edge = platform->cpus[0].pmu_edge;
	return hosted_find_timer();
}

/* ---- FIQ or IRQ ---- */

static int hosted_ppi_enable(uint32_t intid, bool urgent)
{
	(void)urgent;
	return hosted_irq_enable(intid);
}

/* The SPI goes to the CPU that the firmware runs on, by the firmware's routing. */
static int hosted_spi_enable(uint32_t intid, bool edge)
{
	(void)edge;
	return hosted_irq_enable(intid);
}

static const struct gic_ops hosted_irq_ops = {
	.ppi_enable = hosted_ppi_enable,
	.ppi_disable = hosted_irq_disable,
	.spi_enable = hosted_spi_enable,
	.spi_disable = hosted_irq_disable,
};

/* Whether the GIC's CPU interface has system registers; a controller used as GICv2 has them in
 * memory. */
static bool hosted_has_system_registers(void)
{
	return (current_el() == 2 ? read_sysreg(icc_sre_el2) : read_sysreg(icc_sre_el1)) &
	       ICC_SRE_SRE;
}

/* Set up our interrupts as FIQs. Returns NULL, or the reason why that is not possible: a phrase. */
static const char *hosted_by_fiq(const struct arch_platform *platform, arch_hand_on_fn hand_on)
{
	struct arm_cpu *cpu = &arm_cpus[0];
	struct hosted_controller controller = { 0 };
	const char *why;

	if (gic_discover(platform) == 0 && gic == &gicv3_ops) {
		cpu->gicr = gicv3_redistributor(cpu->mpidr);
		controller = (struct hosted_controller){
			.gicd = (volatile uint8_t *)platform->gicd,
			.is_gicv3 = true,
			.has_redistributor = cpu->gicr,
			.has_system_registers = hosted_has_system_registers(),
		};
	}
	why = hosted_refuse_fiq(&controller);
	if (why)
		return why;
	if (hand_on(EXCEPT_AARCH64_FIQ, hosted_entry_fiq) != 0)
		return hosted_no_fiq_handed_on;
	gicv3_group0_begin(platform, cpu->gicr);
	gic = &gicv3_group0_ops;
	return NULL;
}

/* Set up our interrupts as IRQs; returns like hosted_by_fiq(). The timer's interrupt, still off, is
 * requested first: without it hosted mode cannot work. */
static const char *hosted_by_irq(const struct arch_hosted_interrupts *interrupts)
{
	if (!interrupts)
		return "the firmware passes on neither FIQs nor IRQs "
		       "(EFI_HARDWARE_INTERRUPT_PROTOCOL)";
	hosted_irq_begin(interrupts, hosted_entry_irq);
	if (hosted_irq_enable(arm_timer_interrupt()) != 0)
		return "the firmware does not pass on the timer's interrupt "
		       "(EFI_HARDWARE_INTERRUPT_PROTOCOL)";
	gic = &hosted_irq_ops;
	return NULL;
}

static const char *hosted_have_interrupts(const struct arch_platform *platform,
                                          const struct arch_hosted_firmware *firmware)
{
	hosted.misses = hosted_by_fiq(platform, firmware->hand_on);
	return hosted.misses ? hosted_by_irq(firmware->interrupts) : NULL;
}

static void hosted_end_interrupts(void)
{
	if (arm_machine.by_irq) {
		hosted_irq_end();
		return;
	}
	gicv3_group0_end();
	hosted.hand_on(EXCEPT_AARCH64_FIQ, NULL);
}

const char *arch_hosted_misses(void)
{
	return hosted.misses;
}

/* ---- Begin and end ---- */

static uint64_t hosted_swap_tpidr(uint64_t value)
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

/* The offset from the virtual counter to the physical one. */
static uint64_t hosted_physical_offset(void)
{
	if (arm_machine.el == 2)
		return read_sysreg(cntvoff_el2);
	isb();
	return read_sysreg(cntpct_el0) - read_sysreg(cntvct_el0);
}

/* AAPCS64 6.4.6: x29 points to a frame record or is unused; compilers keep frame records by
 * default. */
bool arch_hosted_assumes_frames(void)
{
	return true;
}

/* At a function's begin and end x29 is the caller's, whose record is just as valid;
 * arch_hosted_leaf_return() finds the return address in between. */
bool arch_hosted_has_frame(uint64_t pc, uint64_t start, uint64_t end)
{
	(void)pc;
	(void)start;
	(void)end;
	return true;
}

bool arch_hosted_is_return(uint64_t ret, uint64_t start)
{
	return call_returns_to(ret, start);
}

uint64_t arch_hosted_leaf_return(const struct arch_regs *regs, uint64_t start, uint64_t end,
                                 uint64_t high)
{
	(void)high; /* the return address is in x30 */
	return call_is_leaf_of(regs->pc, regs->x30, start, end) ? regs->x30 : 0;
}

/* Of DAIF only F controls our interrupts. */
static void hosted_restore_f(uint64_t daif)
{
	if (!(daif & PSTATE_F))
		arm_fiq_unmask();
}

int arch_hosted_begin(const struct arch_platform *platform,
                      const struct arch_hosted_firmware *firmware, const char **why)
{
	uint64_t daif = read_sysreg(daif);

	arm_fiq_mask();
	*why = hosted_find_machine(platform);
	if (!*why)
		*why = hosted_have_interrupts(platform, firmware);
	if (*why) {
		hosted.misses = NULL;
		hosted_restore_f(daif);
		return -ENODEV;
	}
	hosted.hand_on = firmware->hand_on;
	hosted.daif = daif;
	hosted.sp_el0 = read_sysreg(sp_el0);
	hosted.tpidr = hosted_swap_tpidr((uint64_t)&arm_cpus[0]);
	arm_save_pmu(&hosted.pmu);
	if (arm_machine.el == 2) {
		hosted.mdcr = read_sysreg(mdcr_el2);
		arm_own_counters();
	}
	hosted_entry_begin(firmware->interrupts);
	mmu_clean(arm_mmu_switch, arm_mmu_switch_end);
	arm_machine.cntvoff = hosted_physical_offset();
	arm_machine.hosted = true;
	arm_machine.by_irq = hosted.misses;
	arm_machine.hosted_stack = firmware->stack;
	arch_irq_disable();
	if (arm_machine.by_irq)
		hosted_restore_f(daif);
	arm_cpus_init_hosted();
	return 0;
}

uint64_t arch_hosted_mask(void)
{
	return read_sysreg(daif);
}

void arch_hosted_unmask(uint64_t mask)
{
	hosted_restore_f(mask);
}

/* Code that replaces the vectors keeps the registered exception handlers. The caller may call boot
 * services, so the translation is the firmware's. */
void arch_hosted_again(void)
{
	uint64_t interrupts;

	if (!arm_machine.hosted)
		return;
	interrupts = arch_irq_save();
	hosted_entry_again();
	arch_irq_restore(interrupts);
}

void arch_hosted_end(void)
{
	if (!arm_machine.hosted)
		return;
	arch_irq_disable();
	arch_timer_disarm();
	hosted_end_interrupts();
	arm_restore_pmu(&hosted.pmu);
	if (arm_machine.el == 2)
		write_sysreg(mdcr_el2, hosted.mdcr);
	hosted_swap_tpidr(hosted.tpidr);
	write_sysreg(sp_el0, hosted.sp_el0);
	arm_machine.hosted = false;
	if (!arm_machine.by_irq)
		hosted_restore_f(hosted.daif);
}
