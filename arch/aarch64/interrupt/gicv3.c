/* SPDX-License-Identifier: MIT */
/* GICv3 and GICv4: Arm Generic Interrupt Controller Architecture Specification, IHI 0069H. */
#include "arch/aarch64/interrupt/gicv3.h"

#include <errno.h>

#include "arch/aarch64/exception.h"
#include "arch/aarch64/interrupt/gic.h"
#include "arch/aarch64/interrupt/gic_spi.h"
#include "arch/aarch64/sysreg.h"

#define GICR_TYPER        0x0008
#define GICR_WAKER        0x0014
#define GICR_TYPER_VLPIS  (1UL << 1)
#define GICR_TYPER_LAST   (1UL << 4)
#define GICR_WAKER_SLEEP  (1U << 1)
#define GICR_WAKER_ASLEEP (1U << 2)
#define GICR_FRAMES       0x20000U
#define GICR_FRAMES_VLPIS 0x40000U

#define PRIORITY_WORDS 8U

/*
 * ARM_PRIORITY_URGENT masks the second and lets the first through in every view. With two security
 * states a non-secure access to a priority is mapped into 80H..FFH, and so is one to ICC_PMR_EL1
 * unless SCR_EL3.FIQ is 0 (IHI 0069, 4.8.6).
 */
#define PRIORITY_URGENT 0x20U
#define PRIORITY_NORMAL 0xa0U

#define ICC_SRE_EL2_VALUE 0xfUL /* Enable, DIB, DFB, SRE */
#define ICC_SRE_EL1_SRE   1UL
#define ICC_CTLR_EOIMODE  (1UL << 1)

/* The controller responds within microseconds; after so many polls it is broken. */
#define POLLS 1000000U

/* vectors.S */
extern const char arm_vectors_el1_gicv3_run[], arm_vectors_el1_gicv3_stopped[],
    arm_vectors_el2_gicv3_run[];

bool arm_masks_by_priority;

static volatile uint8_t *gicd;
static struct gic_spis spis = { .affinity = true };
static const struct arch_platform *tables;

int gicv3_discover(const struct arch_platform *platform)
{
	if (!platform->gicr_count)
		return -ENODEV;
	gicd = (volatile uint8_t *)platform->gicd;
	tables = platform;
	spis.gicd = gicd;
	return 0;
}

static uint64_t gicv3_read_typer(volatile uint8_t *frame)
{
	return *(volatile uint64_t *)(frame + GICR_TYPER);
}

/* TYPER packs Aff3..Aff0 into its upper half; MPIDR has a gap before Aff3. */
static bool gicv3_serves(uint64_t typer, uint64_t mpidr)
{
	return typer >> 32 == ((mpidr & 0xffffffUL) | (mpidr >> 32 & 0xff) << 24);
}

/* An area is a row of frames; the last frame is marked (12.11.35). */
static volatile uint8_t *gicv3_find_frame(uint64_t address, uint64_t size, uint64_t mpidr)
{
	for (uint64_t at = 0; at == 0 || at + GICR_FRAMES <= size;) {
		volatile uint8_t *frame = (volatile uint8_t *)(address + at);
		uint64_t typer = gicv3_read_typer(frame);

		if (gicv3_serves(typer, mpidr))
			return frame;
		if (typer & GICR_TYPER_LAST)
			break;
		at += tables->gicr_stride        ? tables->gicr_stride
		      : typer & GICR_TYPER_VLPIS ? GICR_FRAMES_VLPIS
		                                 : GICR_FRAMES;
	}
	return NULL;
}

volatile uint8_t *gicv3_redistributor(uint64_t mpidr)
{
	for (unsigned i = 0; i < tables->gicr_count; i++) {
		volatile uint8_t *frame =
		    gicv3_find_frame(tables->gicr[i].address, tables->gicr[i].size, mpidr);

		if (frame)
			return frame;
	}
	return NULL;
}

bool gicv3_clears(volatile uint8_t *base, unsigned offset, uint32_t bit)
{
	for (unsigned i = 0; i < POLLS; i++) {
		if (!(gic_read(base, offset) & bit))
			return true;
		arch_relax();
	}
	return false;
}

static void gicv3_save_redistributor(volatile uint8_t *gicr, struct gic_saved *saved)
{
	saved->waker = gic_read(gicr, GICR_WAKER);
	saved->ppis = gic_read(gicr, GICR_ISENABLER0);
	saved->pending = gic_read(gicr, GICR_ISPENDR0);
	saved->active = gic_read(gicr, GICR_ISACTIVER0);
	saved->group = gic_read(gicr, GICR_IGROUPR0);
	saved->group_modifier = gic_read(gicr, GICR_IGRPMODR0);
	for (unsigned i = 0; i < PRIORITY_WORDS; i++)
		saved->priorities[i] = gic_read(gicr, GICR_IPRIORITYR + 4 * i);
}

static void gicv3_restore_redistributor(volatile uint8_t *gicr, const struct gic_saved *saved)
{
	gic_write(gicr, GICR_ICENABLER0, ~0U);
	gicv3_clears(gicr, GICR_CTLR, GICR_CTLR_RWP);
	gic_write(gicr, GICR_ICPENDR0, ~0U);
	gic_write(gicr, GICR_ICACTIVER0, ~0U);
	for (unsigned i = 0; i < PRIORITY_WORDS; i++)
		gic_write(gicr, GICR_IPRIORITYR + 4 * i, saved->priorities[i]);
	gic_write(gicr, GICR_IGROUPR0, saved->group);
	gic_write(gicr, GICR_IGRPMODR0, saved->group_modifier);
	gic_write(gicr, GICR_ISPENDR0, saved->pending);
	gic_write(gicr, GICR_ISACTIVER0, saved->active);
	gic_write(gicr, GICR_ISENABLER0, saved->ppis);
	gic_write(gicr, GICR_WAKER, saved->waker);
}

static void gicv3_save_interface(struct gic_saved *saved)
{
	if (current_el() == 2) {
		saved->sre_el2 = read_sysreg(icc_sre_el2);
		saved->ich_hcr = read_sysreg(ich_hcr_el2);
	}
	saved->sre_el1 = read_sysreg(icc_sre_el1);
	saved->priority_mask = (uint32_t)read_sysreg(icc_pmr_el1);
	saved->binary_point = (uint32_t)read_sysreg(icc_bpr1_el1);
	saved->control = read_sysreg(icc_ctlr_el1);
	saved->enable = (uint32_t)read_sysreg(icc_igrpen1_el1);
}

static void gicv3_restore_interface(const struct gic_saved *saved)
{
	write_sysreg(icc_pmr_el1, saved->priority_mask);
	write_sysreg(icc_bpr1_el1, saved->binary_point);
	write_sysreg(icc_ctlr_el1, saved->control);
	write_sysreg(icc_igrpen1_el1, saved->enable);
	isb();
	write_sysreg(icc_sre_el1, saved->sre_el1);
	if (current_el() == 2) {
		write_sysreg(ich_hcr_el2, saved->ich_hcr);
		isb();
		write_sysreg(icc_sre_el2, saved->sre_el2);
	}
	isb();
}

static void gicv3_take(struct gic_saved *saved)
{
	volatile uint8_t *gicr = gicv3_redistributor(arm_cpus[0].mpidr);

	gic_take_spis(gicd, saved);
	if (gicr)
		gicv3_save_redistributor(gicr, saved);
	gicv3_save_interface(saved);
	saved->distributor = gic_read(gicd, GICD_CTLR);
	gic_write(gicd, GICD_CTLR, saved->distributor | GICD_CTLR_ARE | GICD_CTLR_GRP1);
	gicv3_clears(gicd, GICD_CTLR, GICD_CTLR_RWP);
}

/* ARE stays 1 once set: changing it is UNPREDICTABLE (12.9.4), and firmware that has it 0 uses no
 * affinities. */
static void gicv3_give(const struct gic_saved *saved)
{
	volatile uint8_t *gicr = arm_cpus[0].gicr;

	arm_masks_by_priority = false;
	if (gicr)
		gicv3_restore_redistributor(gicr, saved);
	gicv3_restore_interface(saved);
	gic_spis_restore(&spis);
	gic_give_spis(gicd, saved);
	gic_write(gicd, GICD_CTLR, saved->distributor | GICD_CTLR_ARE);
	gicv3_clears(gicd, GICD_CTLR, GICD_CTLR_RWP);
}

/* A sleeping redistributor forwards no interrupts (11.1); EL3 firmware has usually woken it. */
static bool gicv3_wake(volatile uint8_t *gicr)
{
	uint32_t waker = gic_read(gicr, GICR_WAKER);

	if (!(waker & GICR_WAKER_SLEEP))
		return true;
	gic_write(gicr, GICR_WAKER, waker & ~GICR_WAKER_SLEEP);
	return gicv3_clears(gicr, GICR_WAKER, GICR_WAKER_ASLEEP);
}

static void gicv3_cpu_interface_init(void)
{
	if (current_el() == 2) {
		write_sysreg(icc_sre_el2, ICC_SRE_EL2_VALUE);
		isb();
		write_sysreg(ich_hcr_el2, 0);
	}
	write_sysreg(icc_sre_el1, read_sysreg(icc_sre_el1) | ICC_SRE_EL1_SRE);
	isb();
	write_sysreg(icc_pmr_el1, ARM_PRIORITY_URGENT);
	write_sysreg(icc_bpr1_el1, 0);
	write_sysreg(icc_ctlr_el1, read_sysreg(icc_ctlr_el1) & ~ICC_CTLR_EOIMODE);
	write_sysreg(icc_igrpen1_el1, 1);
	isb();
}

static int gicv3_cpu_init(struct arm_cpu *cpu)
{
	volatile uint8_t *gicr = gicv3_redistributor(cpu->mpidr);

	if (!gicr || !gicv3_wake(gicr))
		return -ENODEV;
	cpu->gicr = gicr;
	gic_write(gicr, GICR_ICENABLER0, 0xffff0000U);
	gicv3_clears(gicr, GICR_CTLR, GICR_CTLR_RWP);
	gic_write(gicr, GICR_IGROUPR0, ~0U);
	gic_write(gicr, GICR_IGRPMODR0, 0);
	gic_write(gicr, GICR_ICACTIVER0, ~0U);
	gic_write(gicr, GICR_ICPENDR0, 0xffff0000U);
	for (unsigned intid = 0; intid < GIC_FIRST_SPI; intid++)
		gicr[GICR_IPRIORITYR + intid] = PRIORITY_NORMAL;
	gicr[GICR_IPRIORITYR + GIC_SGI_SIGNAL] = PRIORITY_URGENT;
	gic_write(gicr, GICR_ISENABLER0, 0xffffU);
	gicv3_cpu_interface_init();
	arm_masks_by_priority = true;
	return 0;
}

static int gicv3_ppi_enable(uint32_t intid, bool urgent)
{
	volatile uint8_t *gicr = arm_this_cpu()->gicr;

	gicr[GICR_IPRIORITYR + intid] = urgent ? PRIORITY_URGENT : PRIORITY_NORMAL;
	gic_write(gicr, GICR_ISENABLER0, 1U << intid);
	return 0;
}

static void gicv3_ppi_disable(uint32_t intid)
{
	volatile uint8_t *gicr = arm_this_cpu()->gicr;

	gic_write(gicr, GICR_ICENABLER0, 1U << intid);
	gicv3_clears(gicr, GICR_CTLR, GICR_CTLR_RWP);
}

static int gicv3_spi_enable(uint32_t intid, bool edge)
{
	return gic_spi_lead(&spis, intid, arm_this_cpu()->mpidr, PRIORITY_URGENT, edge);
}

static void gicv3_spi_disable(uint32_t intid)
{
	gic_spi_disable(&spis, intid);
}

/* The DSB makes the acknowledgement visible to the redistributor before it checks a level again
 * (IHI 0069, 4.1.1). The return from the exception synchronizes the completion. */
void gicv3_interrupt(const struct arch_regs *regs)
{
	uint64_t intid = read_sysreg(icc_iar1_el1);

	asm volatile("dsb sy" : : : "memory");
	if (arm_interrupt(regs, (uint32_t)intid))
		write_sysreg(icc_eoir1_el1, intid);
}

/* ICC_SGI1R_EL1: Aff3.Aff2.Aff1, range selector and a bit for Aff0 (12.2.21). */
static void gicv3_send_sgi(const struct arm_cpu *target, uint32_t sgi)
{
	uint64_t mpidr = target->mpidr, aff0 = mpidr & 0xff;

	asm volatile("dsb ishst" : : : "memory");
	write_sysreg(icc_sgi1r_el1, (mpidr >> 32 & 0xff) << 48 | aff0 >> 4 << 44 |
	                                (mpidr >> 16 & 0xff) << 32 | (uint64_t)sgi << 24 |
	                                (mpidr >> 8 & 0xff) << 16 | 1UL << (aff0 & 15));
	isb();
}

const struct gic_ops gicv3_ops = {
	.take = gicv3_take,
	.give = gicv3_give,
	.cpu_init = gicv3_cpu_init,
	.ppi_enable = gicv3_ppi_enable,
	.ppi_disable = gicv3_ppi_disable,
	.spi_enable = gicv3_spi_enable,
	.spi_disable = gicv3_spi_disable,
	.vectors_el1 = arm_vectors_el1_gicv3_run,
	.vectors_el1_stopped = arm_vectors_el1_gicv3_stopped,
	.vectors_el2 = arm_vectors_el2_gicv3_run,
	.send_sgi = gicv3_send_sgi,
};
