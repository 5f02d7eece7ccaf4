/* SPDX-License-Identifier: MIT */
/*
 * The interrupt controller: GICv2 (IHI 0048) or GICv3 and later (IHI 0069), through one table of
 * operations. It serves the PPIs of timer and PMU, SGIs between our CPUs, and one SPI per CPU for a
 * PMU without a PPI (gic_spi.h). All interrupts that the firmware had enabled stay off until the
 * machine is given back.
 */
#ifndef ARCH_AARCH64_INTERRUPT_GIC_H
#define ARCH_AARCH64_INTERRUPT_GIC_H

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/interrupt/gicd.h"

#define GIC_SGI_WORK     0U /* wakes a CPU that waits for work; no handler */
#define GIC_SGI_SIGNAL   1U
#define GIC_FIRST_PPI    16U
#define GIC_FIRST_SPI    32U
/* INTIDs from here to 1023: no interrupt to acknowledge (IHI 0069, 2.2.1) */
#define GIC_FIRST_NO_INT 1020U
#define GIC_FIRST_LPI    8192U

#define GIC_MAX_SPI_WORDS 31U

/* The firmware's enabled interrupts and settings. */
struct gic_saved {
	uint32_t spis[GIC_MAX_SPI_WORDS]; /* enable bits; word i is for INTIDs from 32 * (i + 1) */
	uint32_t ppis;
	uint32_t pending, active; /* SGIs and PPIs */
	uint32_t distributor;     /* GICD_CTLR */
	uint32_t priority_mask;
	uint32_t binary_point;
	uint32_t enable; /* state of the CPU interface */
	/* GICv3 */
	uint32_t priorities[8]; /* priorities of SGIs and PPIs, four per word */
	uint32_t group, group_modifier, waker;
	uint64_t sre_el1, sre_el2, ich_hcr, control;
};

struct gic_ops {
	/* Shared state: disable every SPI, and save the enabled ones. Boot CPU. */
	void (*take)(struct gic_saved *saved);
	void (*give)(const struct gic_saved *saved);
	/* Set up this CPU's interface: PPIs off, SGIs on. With priority masking, interrupts that
	 * are not urgent are kept out; otherwise all are let in. Returns 0 or -ENODEV. */
	int (*cpu_init)(struct arm_cpu *cpu);
	/* Enable a PPI of this CPU. urgent: let it in while other interrupts are masked, if the
	 * controller can do that. Returns 0 or a negative errno. */
	int (*ppi_enable)(uint32_t intid, bool urgent);
	void (*ppi_disable)(uint32_t intid);
	/* Route an SPI to this CPU alone and enable it, as urgent if possible; give() restores the
	 * firmware's settings. Not on two CPUs at once. Returns 0 or a negative errno; NULL: the
	 * controller's code has no SPIs. */
	int (*spi_enable)(uint32_t intid, bool edge);
	/* Disable an SPI that spi_enable() has routed to this CPU. */
	void (*spi_disable)(uint32_t intid);
	/* vectors.S: the tables for VBAR_ELx that lead to this controller's handler; `stopped`:
	 * counters are stopped in it */
	const char *vectors_el1, *vectors_el1_stopped, *vectors_el2;
	/* Send an SGI. Everything stored before is visible to the target's handler. */
	void (*send_sgi)(const struct arm_cpu *target, uint32_t sgi);
};

/* Note the controller's version and addresses. Returns 0, or -ENODEV if the tables name no
 * supported controller. Thread, with boot services. */
int gic_discover(const struct arch_platform *platform);
extern const struct gic_ops *gic;

/* Calls map(context, address, size) for each device that must be mapped; stops at an error. */
int gic_map_devices(const struct arch_platform *platform,
                    int (*map)(void *context, uint64_t address, uint64_t size), void *context);

extern const struct gic_ops gicv2_ops, gicv3_ops;
int gicv2_discover(const struct arch_platform *platform);
int gicv3_discover(const struct arch_platform *platform);

/* The part of take() and give() that both versions share. */
void gic_take_spis(volatile uint8_t *gicd, struct gic_saved *saved);
void gic_give_spis(volatile uint8_t *gicd, const struct gic_saved *saved);

/* ---- Interrupts by number; interrupt.c ---- */

/* Handlers by INTID; NULL: none. Only the PMU's handler reports whether the interrupt was its own;
 * others return ARCH_PMI_MINE. */
extern arch_pmi_fn arm_interrupt_handlers[GIC_FIRST_NO_INT];

/* Set the handler of this interrupt, for all CPUs. Thread, before the interrupt is enabled. */
void arm_interrupt_handle(uint32_t intid, arch_pmi_fn handler);

/* An interrupt without a handler. Returns whether it must be completed. */
bool arm_interrupt_unasked(uint32_t intid);

/* Handle an acknowledged interrupt. Returns whether it must be completed. */
static inline bool arm_interrupt(const struct arch_regs *regs, uint32_t intid)
{
	if (intid >= GIC_FIRST_NO_INT || !arm_interrupt_handlers[intid])
		return arm_interrupt_unasked(intid);
	if (arm_interrupt_handlers[intid](regs) != ARCH_PMI_MINE)
		arch_spurious[arm_this_cpu()->index]++;
	return true;
}

#endif
