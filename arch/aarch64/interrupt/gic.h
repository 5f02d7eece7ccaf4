/* SPDX-License-Identifier: MIT */
/*
 * The interrupt controller: GICv2 (IHI 0048) or GICv3 and later (IHI 0069) behind one small
 * table. Used are PPIs of timer and PMU, SGIs between our CPUs, and where a PMU has no PPI an SPI
 * for each CPU (gic_spi.h). All that the firmware had enabled stays off until it is given back.
 */
#ifndef ARCH_AARCH64_INTERRUPT_GIC_H
#define ARCH_AARCH64_INTERRUPT_GIC_H

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/interrupt/gicd.h"

#define GIC_SGI_WORK     0U /* wakes a CPU that waits for work; no handler */
#define GIC_SGI_SIGNAL   1U
#define GIC_FIRST_PPI    16U
#define GIC_FIRST_SPI    32U
#define GIC_FIRST_NO_INT 1020U /* to 1023: acknowledging found nothing (IHI 0069, 2.2.1) */
#define GIC_FIRST_LPI    8192U

#define GIC_MAX_SPI_WORDS 31U

/* What the firmware had switched on. */
struct gic_saved {
	uint32_t spis[GIC_MAX_SPI_WORDS]; /* enables, word i for INTIDs 32 * (i + 1) and up */
	uint32_t ppis;
	uint32_t pending, active; /* SGIs and PPIs */
	uint32_t distributor;     /* GICD_CTLR */
	uint32_t priority_mask;
	uint32_t binary_point;
	uint32_t enable; /* of the CPU interface */
	/* GICv3 */
	uint32_t priorities[8]; /* of SGIs and PPIs, four to a word */
	uint32_t group, group_modifier, waker;
	uint64_t sre_el1, sre_el2, ich_hcr, control;
};

struct gic_ops {
	/* Shared state: switch every SPI off, remembering which were on. Boot CPU. */
	void (*take)(struct gic_saved *saved);
	void (*give)(const struct gic_saved *saved);
	/* This CPU's interface: PPIs off, SGIs on; with priority masking what is not urgent kept
	 * out, else all let in. 0 or -ENODEV. */
	int (*cpu_init)(struct arm_cpu *cpu);
	/* A PPI of this CPU. urgent: let in while others are masked, where that can be. 0 or a
	 * negative errno. */
	int (*ppi_enable)(uint32_t intid, bool urgent);
	void (*ppi_disable)(uint32_t intid);
	/* An SPI that is this CPU's alone from now on, urgent where that can be; what the firmware
	 * had it do comes back by give(). Not on two CPUs at a time. 0 or a negative errno; NULL:
	 * none can be. */
	int (*spi_enable)(uint32_t intid, bool edge);
	/* One that spi_enable() has led to this CPU. */
	void (*spi_disable)(uint32_t intid);
	/* vectors.S: the tables for VBAR_ELx that lead to this one's handler; with counters that
	 * stand still in it */
	const char *vectors_el1, *vectors_el1_still, *vectors_el2;
	/* Everything stored before is visible to who takes the SGI. */
	void (*send_sgi)(const struct arm_cpu *target, uint32_t sgi);
};

/* Remember where it is and which it is. 0, or -ENODEV if the tables name none that we know.
 * Thread, with the firmware's services. */
int gic_discover(const struct arch_platform *platform);
extern const struct gic_ops *gic;

/* The devices to map: calls map(context, address, size) for each; stops at an error. */
int gic_map_devices(const struct arch_platform *platform,
                    int (*map)(void *context, uint64_t address, uint64_t size), void *context);

extern const struct gic_ops gicv2_ops, gicv3_ops;
int gicv2_discover(const struct arch_platform *platform);
int gicv3_discover(const struct arch_platform *platform);

/* The part of take() and give() that is the same on both. */
void gic_take_spis(volatile uint8_t *gicd, struct gic_saved *saved);
void gic_give_spis(volatile uint8_t *gicd, const struct gic_saved *saved);

/* ---- Interrupts by number; interrupt.c ---- */

/* By INTID; NULL where nobody asked. Whose it was is said of the performance monitor's, of
 * others always ARCH_PMI_MINE. */
extern arch_pmi_fn arm_interrupt_handlers[GIC_FIRST_NO_INT];

/* Have handler called for this interrupt, on whichever CPU it comes. Thread, before it is
 * enabled. */
void arm_interrupt_handle(uint32_t intid, arch_pmi_fn handler);

/* An interrupt that has no handler. Whether it is to be completed. */
bool arm_interrupt_unasked(uint32_t intid);

/* One that was acknowledged. Whether it is to be completed. */
static inline bool arm_interrupt(const struct arch_regs *regs, uint32_t intid)
{
	if (intid >= GIC_FIRST_NO_INT || !arm_interrupt_handlers[intid])
		return arm_interrupt_unasked(intid);
	if (arm_interrupt_handlers[intid](regs) != ARCH_PMI_MINE)
		arch_spurious[arm_this_cpu()->index]++;
	return true;
}

#endif
