/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/hosted/hosted_choice.h"

#include <stddef.h>

#include "arch/aarch64/interrupt/gicv3.h"
#include "arch/aarch64/sysreg.h"

#define AS_IRQ(why)                                                                                     \
	why ": our interrupts come as IRQ, which TPL_HIGH_LEVEL masks: code at that level becomes one " \
	    "late sample behind it, with all of its time as PERIOD"

const char hosted_no_fiq_handed_on[] =
    AS_IRQ("the firmware passes on no FIQs (EFI_CPU_ARCH_PROTOCOL)");

static bool hosted_is_free(uint64_t control)
{
	return !(control & CNT_CTL_ENABLE);
}

const char *hosted_choose_timer(unsigned el, const uint64_t control[3], enum arm_timer *timer)
{
	if (el == 2) {
		*timer = ARM_TIMER_HYPERVISOR;
		return hosted_is_free(control[ARM_TIMER_HYPERVISOR])
		           ? NULL
		           : "no timer that the firmware leaves to us: the hypervisor's is in use";
	}
	*timer = hosted_is_free(control[ARM_TIMER_PHYSICAL]) ? ARM_TIMER_PHYSICAL
	                                                     : ARM_TIMER_VIRTUAL;
	return hosted_is_free(control[*timer])
	           ? NULL
	           : "no timer that the firmware leaves to us: the physical "
	             "and the virtual one are in use";
}

const char *hosted_refuse_fiq(const struct hosted_controller *controller)
{
	uint32_t distributor;

	if (!controller->gicd || !controller->is_gicv3)
		return AS_IRQ("the interrupt controller is no GICv3");
	distributor = gic_read(controller->gicd, GICD_CTLR);
	if (!(distributor & GICD_CTLR_DS))
		return AS_IRQ(
		    "the interrupt controller has two security states, and FIQ is the "
		    "secure one's");
	if (!(distributor & GICD_CTLR_ARE) || !controller->has_system_registers)
		return AS_IRQ("the firmware drives its interrupt controller as a GICv2");
	if (distributor & GICD_CTLR_GRP0)
		return AS_IRQ("the firmware uses FIQ itself");
	if (!controller->has_redistributor)
		return AS_IRQ("the tables name no redistributor of this CPU's");
	return NULL;
}
