/* SPDX-License-Identifier: MIT */
/*
 * The arch seam where the firmware goes on and is what is traced (docs/uefi.md). In place of
 * arch_prepare() and arch_take_over(): its page tables, its stack, its interrupts stay, and the
 * timer's interrupt comes as NMI does, whatever the firmware masks, where the machine can do that
 * (arch_hosted_misses()). From arch_hosted_begin() to arch_hosted_end():
 *
 *	arch_irq_enable(), arch_irq_disable()	let our timer in, keep it out; the firmware's
 *						interrupts are its own business
 *	arch_cpu_count()			1: the boot CPU, which this is about
 *	arch_timer_init()'s handler		runs on the interrupted stack, in NMI's context;
 *						in an IRQ's where that is what is missed
 *	arch_stack_bounds()			the firmware's, as far as it is known
 */
#ifndef ARCH_HOSTED_H
#define ARCH_HOSTED_H

#include "arch/arch.h"

/* EFI_CPU_ARCH_PROTOCOL.RegisterInterruptHandler() (PI 1.7, volume 2, 12.3.4.3), for an ISA that is
 * entered by the firmware's own vectors: exceptions of this type go to handler, NULL: no more.
 * context is EFI_SYSTEM_CONTEXT's pointer. 0 or a negative errno. Thread. */
typedef void (*arch_handed_fn)(intptr_t type, void *context);
typedef int (*arch_hand_on_fn)(intptr_t type, arch_handed_fn handler);

/* EFI_HARDWARE_INTERRUPT_PROTOCOL, which is EDK2's: interrupts by their numbers in the controller,
 * of which the firmware's driver hands on those that are led to somebody. Thread, but for end(). */
struct arch_hosted_interrupts {
	/* Switch it on, and have it go to handler, which ends it; NULL: to nobody, and off. 0; 1:
	 * it was led to somebody, who gets no more; or a negative errno. */
	int (*lead)(uint32_t number, arch_handed_fn handler);
	void (*enable)(uint32_t number);
	void (*disable)(uint32_t number);
	bool (*is_enabled)(uint32_t number);
	/* The handler is done with it. IRQ. */
	void (*end)(uint32_t number);
};

/* [low, high): the stack of the boot CPU, as the firmware tells; both 0: it does not. */
struct arch_hosted_stack {
	uint64_t low, high;
};

/* The parts of the firmware that an ISA may need. */
struct arch_hosted_firmware {
	arch_hand_on_fn hand_on;
	const struct arch_hosted_interrupts *interrupts; /* NULL: it has no such protocol */
	struct arch_hosted_stack stack;
};

/* Begin, with our timer kept out. platform is kept by reference, and the functions are. 0; -ENODEV:
 * the machine has no timer that the firmware leaves to us; -ENOTSUP: it is in a mode in which this
 * does not work; *why is a phrase then, and nothing was changed. Boot CPU. Thread, with the
 * firmware's services. */
int arch_hosted_begin(const struct arch_platform *platform,
                      const struct arch_hosted_firmware *firmware, const char **why);

/* The firmware's code that is not sampled in time, as a phrase; NULL: none known. From
 * arch_hosted_begin() on, also after the end. Thread. */
const char *arch_hosted_misses(void);

/* Whether our interrupts are let in, where the firmware may mask them with its own; and have it so
 * again. x86: it cannot, 0. Any context. */
uint64_t arch_hosted_mask(void);
void arch_hosted_unmask(uint64_t mask);

/* Whether code that nobody knows anything of keeps frame records, by the ABI's rules and what
 * compilers do by themselves. Any context. */
bool arch_hosted_assumes_frames(void);

/* Of code that keeps them, in memory from start to end: whether the frame pointer is its function's
 * own at pc, which it is not at the function's begin and end; and whether ret is where a call
 * returns to, of which the rest is not asked. Where it cannot be told: for has_frame false, for
 * is_return true. Any context. */
bool arch_hosted_has_frame(uint64_t pc, uint64_t start, uint64_t end);
bool arch_hosted_is_return(uint64_t ret, uint64_t start);

/* In the same image: where the function at pc returns to while it has made no record of its own, as
 * one that calls nobody; 0: it has one, or that cannot be told. By the call before that address,
 * which leads to where pc is behind, and by what stands in between. high: of its stack. Any
 * context.
 */
uint64_t arch_hosted_leaf_return(const struct arch_regs *regs, uint64_t start, uint64_t end,
                                 uint64_t high);

/* The firmware may have changed where its interrupts go: have ours come all the same. Before code
 * is started. No effect if nothing is hosted. Thread. */
void arch_hosted_again(void);

/* All that arch_hosted_begin() and drivers since then have changed is the firmware's again. Thread.
 */
void arch_hosted_end(void);

#endif
