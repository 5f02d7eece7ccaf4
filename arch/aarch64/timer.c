/* SPDX-License-Identifier: MIT */
/*
 * The generic timer (Arm ARM DDI 0487, D11). At EL2 the hypervisor's physical timer, which the
 * payload cannot access; at EL1 the virtual timer, which a hypervisor above us leaves to us. In
 * hosted mode the physical timer, or the virtual one if the firmware uses the physical one.
 */
#include <errno.h>

#include "abi/trace_region.h"
#include "arch/aarch64/interrupt/gic.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/takeover.h"

/* The interrupts that BSA (DEN0094, "PPI assignments") assigns, for a GTDT that has none. */
static const uint32_t usual[] = {
	[ARM_TIMER_HYPERVISOR] = 26,
	[ARM_TIMER_PHYSICAL] = 30,
	[ARM_TIMER_VIRTUAL] = 27,
};

uint32_t arm_timer_interrupt(void)
{
	const struct arch_platform *tables = arm_machine.platform;
	enum arm_timer timer = arm_machine.timer;
	uint32_t ppi = timer == ARM_TIMER_HYPERVISOR ? tables->timer_el2_interrupt
	               : timer == ARM_TIMER_PHYSICAL ? tables->timer_el1_interrupt
	                                             : tables->timer_virtual_interrupt;

	return ppi >= GIC_FIRST_PPI && ppi < GIC_FIRST_SPI ? ppi : usual[timer];
}

uint64_t arm_timer_frequency(void)
{
	uint32_t given = arm_machine.platform->timer_frequency;

	return given ? given : read_sysreg(cntfrq_el0);
}

static arch_handler_fn timer_handler;

/* For interrupts that come as IRQs of the firmware, whose mask bareperf must not change. */
static bool timer_kept_out;
static bool timer_came; /* an interrupt came while it was kept out */

static enum arch_pmi timer_expired(const struct arch_regs *regs)
{
	arch_timer_disarm(); /* level-triggered: it must be disarmed */
	if (timer_kept_out)
		timer_came = true;
	else
		timer_handler(regs);
	return ARCH_PMI_MINE;
}

void arm_timer_own(void)
{
	arch_timer_disarm();
	if (timer_handler)
		gic->ppi_enable(arm_timer_interrupt(), false);
}

int arch_timer_init(arch_handler_fn handler)
{
	arm_interrupt_handle(arm_timer_interrupt(), timer_expired);
	timer_handler = handler;
	arm_timer_own();
	return 0;
}

void arch_timer_arm(uint64_t deadline)
{
	switch (arm_machine.timer) {
	case ARM_TIMER_HYPERVISOR:
		write_sysreg(cnthp_cval_el2, deadline + arm_machine.cntvoff);
		write_sysreg(cnthp_ctl_el2, CNT_CTL_ENABLE);
		break;
	case ARM_TIMER_PHYSICAL:
		write_sysreg(cntp_cval_el0, deadline + arm_machine.cntvoff);
		write_sysreg(cntp_ctl_el0, CNT_CTL_ENABLE);
		break;
	case ARM_TIMER_VIRTUAL:
		write_sysreg(cntv_cval_el0, deadline);
		write_sysreg(cntv_ctl_el0, CNT_CTL_ENABLE);
		break;
	}
	isb();
}

void arch_timer_disarm(void)
{
	switch (arm_machine.timer) {
	case ARM_TIMER_HYPERVISOR:
		write_sysreg(cnthp_ctl_el2, 0);
		break;
	case ARM_TIMER_PHYSICAL:
		write_sysreg(cntp_ctl_el0, 0);
		break;
	case ARM_TIMER_VIRTUAL:
		write_sysreg(cntv_ctl_el0, 0);
		break;
	}
	isb();
}

const char *arch_timer_lacks(void)
{
	return NULL;
}

int arch_clock_init(struct arch_clock *clock)
{
	clock->frequency = arm_timer_frequency();
	clock->source = TR_CLOCK_ARCHITECTURAL;
	return clock->frequency ? 0 : -ENODEV;
}

/* In program order, as the interrupt handler sees it. */
static void timer_set_kept_out(bool out)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&timer_kept_out, out, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* An interrupt that came while kept out is raised again; nothing is armed until then. */
static void timer_let_in(void)
{
	timer_set_kept_out(false);
	if (!timer_came)
		return;
	timer_came = false;
	arch_timer_arm(arch_cycles());
}

/* In hosted mode our interrupts are FIQs, or IRQs that the firmware masks together with its own. */
void arch_irq_enable(void)
{
	if (arm_machine.hosted && arm_machine.by_irq)
		timer_let_in();
	else if (arm_machine.hosted)
		arm_fiq_unmask();
	else
		asm volatile("msr daifclr, #3" : : : "memory");
	if (arm_masks_by_priority)
		arm_set_priority_mask(ARM_PRIORITY_ALL);
}

/* With priority masking PSTATE.I stays clear in threads, so that urgent interrupts come. */
void arch_irq_disable(void)
{
	if (arm_machine.hosted && arm_machine.by_irq)
		timer_set_kept_out(true);
	else if (arm_machine.hosted)
		arm_fiq_mask();
	else if (arm_masks_by_priority)
		arm_set_priority_mask(ARM_PRIORITY_URGENT);
	else
		asm volatile("msr daifset, #3" : : : "memory");
}

void arch_wait(void)
{
	asm volatile("dsb sy\n\twfi" : : : "memory");
}

_Noreturn void arch_halt(void)
{
	asm volatile("msr daifset, #15" : : : "memory");
	for (;;)
		asm volatile("wfi");
}
