/* SPDX-License-Identifier: MIT */
/* GICv2: Arm Generic Interrupt Controller Architecture Specification, IHI 0048B. */
#include <errno.h>

#include "arch/aarch64/exception.h"
#include "arch/aarch64/interrupt/gic.h"
#include "arch/aarch64/interrupt/gic_spi.h"
#include "arch/aarch64/sysreg.h"

#define GICD_ITARGETSR   0x800
#define GICD_SGIR        0xf00
#define GICC_CTLR        0x000
#define GICC_PMR         0x004
#define GICC_BPR         0x008
#define GICC_IAR         0x00c
#define GICC_IAR_INTID   0x3ffU
#define GICC_EOIR        0x010
#define GICC_CTLR_ENABLE 1U /* enables group 1 for non-secure software, else group 0 */
#define GICD_CTLR_ENABLE 1U
#define PRIORITY         0xa0U /* a priority that PMR lets through */

/* vectors.S */
extern const char arm_vectors_el1_gicv2_run[], arm_vectors_el1_gicv2_stopped[],
    arm_vectors_el2_gicv2_run[];

static volatile uint8_t *gicd, *gicc;
static struct gic_spis spis;
static uint8_t targets[ARCH_MAX_CPUS]; /* each CPU's bit in SGIR's target list */

int gicv2_discover(const struct arch_platform *platform)
{
	if (!platform->gicc)
		return -ENODEV;
	gicd = (volatile uint8_t *)platform->gicd;
	gicc = (volatile uint8_t *)platform->gicc;
	spis.gicd = gicd;
	return 0;
}

static void gicv2_take(struct gic_saved *saved)
{
	gic_take_spis(gicd, saved);
	saved->ppis = gic_read(gicd, GICD_ISENABLER);
	saved->pending = gic_read(gicd, GICD_ISPENDR);
	saved->active = gic_read(gicd, GICD_ISACTIVER);
	saved->distributor = gic_read(gicd, GICD_CTLR);
	saved->priority_mask = gic_read(gicc, GICC_PMR);
	saved->binary_point = gic_read(gicc, GICC_BPR);
	saved->enable = gic_read(gicc, GICC_CTLR);
	gic_write(gicd, GICD_CTLR, gic_read(gicd, GICD_CTLR) | GICD_CTLR_ENABLE);
}

static void gicv2_give(const struct gic_saved *saved)
{
	gic_write(gicd, GICD_ICENABLER, ~0U);
	gic_write(gicd, GICD_ICPENDR, ~0U);
	gic_write(gicd, GICD_ICACTIVER, ~0U);
	gic_write(gicd, GICD_ISPENDR, saved->pending);
	gic_write(gicd, GICD_ISACTIVER, saved->active);
	gic_write(gicd, GICD_ISENABLER, saved->ppis);
	gic_write(gicc, GICC_PMR, saved->priority_mask);
	gic_write(gicc, GICC_BPR, saved->binary_point);
	gic_write(gicc, GICC_CTLR, saved->enable);
	gic_spis_restore(&spis);
	gic_give_spis(gicd, saved);
	gic_write(gicd, GICD_CTLR, saved->distributor);
}

/* A CPU reads its own bit in the first, banked target registers (4.3.12). */
static uint8_t gicv2_own_target(void)
{
	uint32_t all = 0;

	for (unsigned offset = 0; offset < GIC_FIRST_SPI; offset += 4)
		all |= gic_read(gicd, GICD_ITARGETSR + offset);
	all |= all >> 16;
	return (uint8_t)(all | all >> 8);
}

static int gicv2_cpu_init(struct arm_cpu *cpu)
{
	uint8_t target = gicv2_own_target();

	targets[cpu->index] = target ? target : 1; /* RAZ on a machine with one CPU */
	gic_write(gicd, GICD_ICENABLER, 0xffff0000U);
	gic_write(gicd, GICD_ICACTIVER, ~0U);
	gic_write(gicd, GICD_ICPENDR, 0xffff0000U);
	gic_write(gicd, GICD_ISENABLER, 0xffffU);
	gic_write(gicc, GICC_PMR, 0xff);
	gic_write(gicc, GICC_BPR, 0);
	gic_write(gicc, GICC_CTLR, GICC_CTLR_ENABLE);
	return 0;
}

static int gicv2_ppi_enable(uint32_t intid, bool urgent)
{
	(void)urgent;
	gic_write(gicd, GICD_ISENABLER, 1U << intid);
	return 0;
}

static void gicv2_ppi_disable(uint32_t intid)
{
	gic_write(gicd, GICD_ICENABLER, 1U << intid);
}

static int gicv2_spi_enable(uint32_t intid, bool edge)
{
	return gic_spi_lead(&spis, intid, targets[arm_this_cpu()->index], PRIORITY, edge);
}

static void gicv2_spi_disable(uint32_t intid)
{
	gic_spi_disable(&spis, intid);
}

/* The end of an SGI needs its sender as well as its INTID (4.4.5). */
void gicv2_interrupt(const struct arch_regs *regs)
{
	uint32_t value = gic_read(gicc, GICC_IAR);

	if (arm_interrupt(regs, value & GICC_IAR_INTID))
		gic_write(gicc, GICC_EOIR, value);
}

static void gicv2_send_sgi(const struct arm_cpu *target, uint32_t sgi)
{
	asm volatile("dmb sy" : : : "memory");
	gic_write(gicd, GICD_SGIR, (uint32_t)targets[target->index] << 16 | sgi);
}

const struct gic_ops gicv2_ops = {
	.take = gicv2_take,
	.give = gicv2_give,
	.cpu_init = gicv2_cpu_init,
	.ppi_enable = gicv2_ppi_enable,
	.ppi_disable = gicv2_ppi_disable,
	.spi_enable = gicv2_spi_enable,
	.spi_disable = gicv2_spi_disable,
	.vectors_el1 = arm_vectors_el1_gicv2_run,
	.vectors_el1_stopped = arm_vectors_el1_gicv2_stopped,
	.vectors_el2 = arm_vectors_el2_gicv2_run,
	.send_sgi = gicv2_send_sgi,
};
