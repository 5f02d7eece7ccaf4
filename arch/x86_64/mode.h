/* SPDX-License-Identifier: MIT */
/*
 * How the CPU is shared with the firmware. In exclusive and resident mode it is ours; hosted mode
 * has operations of its own (arch/x86_64/hosted/hosted.c), from arch_hosted_begin() to
 * arch_hosted_end().
 */
#ifndef ARCH_X86_64_MODE_H
#define ARCH_X86_64_MODE_H

#include <stdbool.h>
#include <stdint.h>

struct x86_mode {
	/* arch_irq_enable() and arch_irq_disable(). Any context. */
	void (*irq_enable)(void);
	void (*irq_disable)(void);

	/* arch_stack_bounds(), of a stack that is not ours. Any context. */
	bool (*stack_bounds)(uint64_t sp, uint64_t *low, uint64_t *high);

	bool shares_apic_timer; /* the local APIC's timer is the firmware's */
	bool lacks_timer;       /* no timer is free for us: counters take its place */
};

/* The mode in force; never NULL. */
extern const struct x86_mode *x86_mode;

/* The mode of a CPU that is ours. */
extern const struct x86_mode x86_mode_own;

#endif
