/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/interrupt/gic.h"

arch_pmi_fn arm_interrupt_handlers[GIC_FIRST_NO_INT];

void arm_interrupt_handle(uint32_t intid, arch_pmi_fn handler)
{
	arm_interrupt_handlers[intid] = handler;
}

/* Without a handler the interrupt would come again for ever, so it is disabled. */
bool arm_interrupt_unasked(uint32_t intid)
{
	if (intid == GIC_SGI_WORK)
		return true;
	arch_spurious[arm_this_cpu()->index]++;
	if (intid >= GIC_FIRST_PPI && intid < GIC_FIRST_SPI)
		gic->ppi_disable(intid);
	return intid < GIC_FIRST_NO_INT || intid >= GIC_FIRST_LPI;
}
