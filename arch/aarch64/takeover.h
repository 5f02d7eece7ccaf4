/* SPDX-License-Identifier: MIT */
/*
 * What take-over knows and the other CPUs need.
 */
#ifndef ARCH_AARCH64_TAKEOVER_H
#define ARCH_AARCH64_TAKEOVER_H

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/hosted/hosted_choice.h"
#include "arch/hosted.h"

/* Translation as every CPU of ours has it; the payload's, at EL1, where el is 2. */
struct arm_machine {
	struct arm_mmu mmu; /* first, for start.S */
	struct arm_mmu payload_mmu;
	const struct arch_platform *platform;
	unsigned el;          /* that we run at: 1 or 2 */
	enum arm_timer timer; /* ours */
	bool hosted;          /* the firmware goes on: hosted.c */
	bool by_irq;          /* hosted: ours are no FIQs, but IRQs, as the firmware's */
	struct arch_hosted_stack hosted_stack;
	uint64_t cntvoff; /* EL2, hosted: virtual counter = physical - cntvoff; the firmware's */
};
_Static_assert(offsetof(struct arm_machine, mmu) == MACHINE_MMU, "MACHINE_MMU");

/* Keep our interrupts out where the firmware goes on, and let them in, where they are FIQs. */
static inline void arm_fiq_mask(void)
{
	asm volatile("msr daifset, #1" : : : "memory");
}

static inline void arm_fiq_unmask(void)
{
	asm volatile("msr daifclr, #1" : : : "memory");
}

/* A thread begins: SErrors are reported from here on, and what masking by priority lets through
 * comes in. On stacks of ours, after the GIC's cpu_init(). Thread. */
void arm_unmask_urgent(void);

/* MDCR_EL2 as own code has it: all counters are usable, EL2 may be counted and sampled, and SPE's
 * buffer is EL2's. At EL2. Any context. */
void arm_own_counters(void);

/* timer.c: the PPI of arm_machine's timer. Any context. */
uint32_t arm_timer_interrupt(void);

/* Hz of arch_cycles(): the device tree's, else CNTFRQ_EL0; 0: nobody says. Any context. */
uint64_t arm_timer_frequency(void);

extern struct arm_machine arm_machine; /* takeover.c */

#endif
