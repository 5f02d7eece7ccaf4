/* SPDX-License-Identifier: MIT */
#include "arch/aarch64/interrupt/gicv3_group0.h"

#include "arch/aarch64/interrupt/gicv3.h"
#include "arch/aarch64/sysreg.h"

#define PRIORITY 0x20U /* a higher priority than the firmware's own interrupts */

static struct {
	volatile uint8_t *gicd, *gicr;
	uint32_t taken; /* enabled PPIs, one bit each */
	uint32_t distributor, groups, enables;
	uint64_t enable;
	uint8_t priorities[GIC_FIRST_SPI];
} group0;

void gicv3_group0_begin(const struct arch_platform *platform, volatile uint8_t *gicr)
{
	volatile uint8_t *gicd = (volatile uint8_t *)platform->gicd;
	uint32_t distributor = gic_read(gicd, GICD_CTLR);

	group0.gicd = gicd;
	group0.gicr = gicr;
	group0.taken = 0;
	group0.distributor = distributor;
	group0.groups = gic_read(gicr, GICR_IGROUPR0);
	group0.enables = gic_read(gicr, GICR_ISENABLER0);
	group0.enable = read_sysreg(icc_igrpen0_el1);
	gic_write(gicd, GICD_CTLR, distributor | GICD_CTLR_GRP0);
	gicv3_clears(gicd, GICD_CTLR, GICD_CTLR_RWP);
	write_sysreg(icc_igrpen0_el1, 1);
	isb();
}

static void group0_disable(uint32_t intid)
{
	gic_write(group0.gicr, GICR_ICENABLER0, 1U << intid);
	gicv3_clears(group0.gicr, GICR_CTLR, GICR_CTLR_RWP);
}

/* An interrupt's group may be changed only while it is off (IHI 0069, 12.11.9). */
static int group0_enable(uint32_t intid, bool urgent)
{
	volatile uint8_t *gicr = group0.gicr;

	(void)urgent;
	group0_disable(intid);
	if (!(group0.taken >> intid & 1))
		group0.priorities[intid] = gicr[GICR_IPRIORITYR + intid];
	group0.taken |= 1U << intid;
	gic_write(gicr, GICR_ICPENDR0, 1U << intid);
	gic_write(gicr, GICR_IGROUPR0, gic_read(gicr, GICR_IGROUPR0) & ~(1U << intid));
	gicr[GICR_IPRIORITYR + intid] = PRIORITY;
	gic_write(gicr, GICR_ISENABLER0, 1U << intid);
	return 0;
}

void gicv3_group0_end(void)
{
	volatile uint8_t *gicr = group0.gicr;

	write_sysreg(icc_igrpen0_el1, group0.enable);
	isb();
	for (uint32_t intid = 0; intid < GIC_FIRST_SPI; intid++) {
		if (!(group0.taken >> intid & 1))
			continue;
		group0_disable(intid);
		gic_write(gicr, GICR_ICPENDR0, 1U << intid);
		gicr[GICR_IPRIORITYR + intid] = group0.priorities[intid];
	}
	gic_write(gicr, GICR_IGROUPR0,
	          (gic_read(gicr, GICR_IGROUPR0) & ~group0.taken) | (group0.groups & group0.taken));
	gic_write(gicr, GICR_ISENABLER0, group0.enables & group0.taken);
	gic_write(group0.gicd, GICD_CTLR, group0.distributor);
	gicv3_clears(group0.gicd, GICD_CTLR, GICD_CTLR_RWP);
}

/* Like gicv3_interrupt(), with the registers for Group 0. */
void gicv3_group0_interrupt(const struct arch_regs *regs)
{
	uint64_t intid = read_sysreg(icc_iar0_el1);

	asm volatile("dsb sy" : : : "memory");
	if (arm_interrupt(regs, (uint32_t)intid))
		write_sysreg(icc_eoir0_el1, intid);
}

const struct gic_ops gicv3_group0_ops = {
	.ppi_enable = group0_enable,
	.ppi_disable = group0_disable,
};
