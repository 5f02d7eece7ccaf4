/* SPDX-License-Identifier: MIT */
/*
 * State of the take-over, also needed by the other CPUs.
 */
#ifndef ARCH_AARCH64_TAKEOVER_H
#define ARCH_AARCH64_TAKEOVER_H

#include "arch/aarch64/cpu.h"
#include "arch/aarch64/hosted/hosted_choice.h"
#include "arch/hosted.h"

/* The translation that all our CPUs use, and the payload's translation at EL1 if el is 2. */
struct arm_machine {
	struct arm_mmu mmu; /* first, for start.S */
	struct arm_mmu payload_mmu;
	const struct arch_platform *platform;
	unsigned el;          /* the exception level that bareperf runs at: 1 or 2 */
	enum arm_timer timer; /* the timer that bareperf uses */
	bool hosted;          /* hosted mode: hosted.c */
	bool by_irq;          /* hosted mode: our interrupts are IRQs, no FIQs */
	struct arch_hosted_stack hosted_stack;
	uint64_t cntvoff; /* EL2, hosted mode: the firmware's CNTVOFF_EL2 */
};
_Static_assert(offsetof(struct arm_machine, mmu) == MACHINE_MMU, "MACHINE_MMU");

/* Mask and unmask our interrupts in hosted mode, if they are FIQs. */
static inline void arm_fiq_mask(void)
{
	asm volatile("msr daifset, #1" : : : "memory");
}

static inline void arm_fiq_unmask(void)
{
	asm volatile("msr daifclr, #1" : : : "memory");
}

/* Called at a thread's begin: SErrors are reported from here on, and interrupts that the priority
 * mask lets through come in. On our stacks, after the GIC's cpu_init(). Thread. */
void arm_unmask_urgent(void);

/* Set MDCR_EL2 for our own code: all counters are usable, EL2 may be counted and sampled, and SPE's
 * buffer belongs to EL2. At EL2. Any context. */
void arm_own_counters(void);

/* timer.c: the PPI of arm_machine's timer. Any context. */
uint32_t arm_timer_interrupt(void);

/* Hz of arch_cycles(): from the device tree, else CNTFRQ_EL0; 0: neither has it. Any context. */
uint64_t arm_timer_frequency(void);

extern struct arm_machine arm_machine; /* takeover.c */

#endif
