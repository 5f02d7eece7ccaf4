/* SPDX-License-Identifier: MIT */
/*
 * Time: the generic timer (Arm ARM DDI 0487, D11). At EL2 the hypervisor's physical timer, which
 * the payload cannot reach; at EL1 the virtual one, which a hypervisor above us leaves to us, or
 * where the firmware goes on, and uses that, the physical one.
 */
#include <errno.h>

#include "abi/trace_region.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/own.h"
#include "arch/aarch64/sysreg.h"

/* What BSA (DEN0094, "PPI assignments") gives them where the GTDT is silent. */
#define PPI_EL2_PHYSICAL 26U
#define PPI_VIRTUAL      27U
#define PPI_EL1_PHYSICAL 30U

static uint32_t timer_ppi(void)
{
	const struct arch_platform *tables = arm_machine.platform;
	bool el2 = arm_machine.el == 2, physical = arm_machine.joined;
	uint32_t ppi = el2        ? tables->timer_el2_interrupt
	               : physical ? tables->timer_el1_interrupt
	                          : tables->timer_virtual_interrupt;

	if (ppi >= GIC_FIRST_PPI && ppi < GIC_FIRST_SPI)
		return ppi;
	return el2 ? PPI_EL2_PHYSICAL : physical ? PPI_EL1_PHYSICAL : PPI_VIRTUAL;
}

static arch_handler_fn timer_handler;

static enum arch_pmi timer_expired(const struct arch_regs *regs)
{
	arch_timer_disarm(); /* it is level-triggered */
	timer_handler(regs);
	return ARCH_PMI_MINE;
}

void arm_timer_own(void)
{
	arch_timer_disarm();
	if (timer_handler)
		gic->ppi_enable(timer_ppi(), false);
}

int arch_timer_init(arch_handler_fn handler)
{
	arm_interrupt_handle(timer_ppi(), timer_expired);
	timer_handler = handler;
	arm_timer_own();
	return 0;
}

void arch_timer_arm(uint64_t deadline)
{
	if (arm_machine.el == 2) {
		write_sysreg(cnthp_cval_el2, deadline + arm_machine.cntvoff);
		write_sysreg(cnthp_ctl_el2, CNT_CTL_ENABLE);
	} else if (arm_machine.joined) {
		write_sysreg(cntp_cval_el0, deadline + arm_machine.cntvoff);
		write_sysreg(cntp_ctl_el0, CNT_CTL_ENABLE);
	} else {
		write_sysreg(cntv_cval_el0, deadline);
		write_sysreg(cntv_ctl_el0, CNT_CTL_ENABLE);
	}
	isb();
}

void arch_timer_disarm(void)
{
	if (arm_machine.el == 2)
		write_sysreg(cnthp_ctl_el2, 0);
	else if (arm_machine.joined)
		write_sysreg(cntp_ctl_el0, 0);
	else
		write_sysreg(cntv_ctl_el0, 0);
	isb();
}

int arch_clock_init(struct arch_clock *clock)
{
	clock->frequency = read_sysreg(cntfrq_el0);
	clock->source = TR_CLOCK_ARCHITECTURAL;
	return clock->frequency ? 0 : -ENODEV;
}

/* Where the firmware goes on, ours are FIQs, and IRQs are its own business. */
void arch_irq_enable(void)
{
	if (arm_machine.joined)
		asm volatile("msr daifclr, #1" : : : "memory");
	else
		asm volatile("msr daifclr, #3" : : : "memory");
	if (arm_masks_by_priority)
		arm_set_priority_mask(ARM_PRIORITY_ALL);
}

/* With priority masking PSTATE.I stays clear in threads, for what is urgent. */
void arch_irq_disable(void)
{
	if (arm_machine.joined)
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
