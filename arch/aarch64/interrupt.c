// SPDX-License-Identifier: MIT
#include "arch/aarch64/exception.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/regs.h"

#include <errno.h>

#define INTERRUPT_HANDLERS 4U

static struct {
	uint32_t intid;
	arch_handler_fn handler;
} handlers[INTERRUPT_HANDLERS];

int arm_interrupt_handle(uint32_t intid, arch_handler_fn handler)
{
	for (unsigned i = 0; i < INTERRUPT_HANDLERS; i++) {
		if (handlers[i].handler && handlers[i].intid != intid)
			continue;
		handlers[i].intid = intid;
		handlers[i].handler = handler;
		return 0;
	}
	return -ENOSPC;
}

static arch_handler_fn find_handler(uint32_t intid)
{
	for (unsigned i = 0; i < INTERRUPT_HANDLERS; i++) {
		if (handlers[i].handler && handlers[i].intid == intid)
			return handlers[i].handler;
	}
	return NULL;
}

/* An interrupt without a handler would come again for ever: it is switched off. */
static void nobody_asked(uint32_t intid)
{
	arm_this_cpu()->spurious++;
	if (intid >= GIC_FIRST_PPI && intid < GIC_FIRST_SPI)
		gic->ppi_disable(intid);
}

void arm_interrupt(struct arch_regs *regs)
{
	uint32_t value = gic->acknowledge();
	uint32_t intid = value & gic->intid_mask;
	arch_handler_fn handler;

	if (intid >= GIC_FIRST_NO_INT && intid < GIC_FIRST_LPI) {
		arm_this_cpu()->spurious++;
		return;
	}
	regs->sp = arm_interrupted_sp(regs);
	handler = find_handler(intid);
	if (handler)
		handler(regs);
	else if (intid != GIC_SGI_WORK)
		nobody_asked(intid);
	gic->complete(value);
}
