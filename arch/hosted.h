/* SPDX-License-Identifier: MIT */
/*
 * The arch seam for hosted mode: the firmware keeps running and is traced itself (docs/uefi.md). It
 * replaces arch_prepare() and arch_take_over(): the firmware's page tables, stack and interrupts
 * stay. If the machine allows it, the timer's interrupt comes as an NMI does, whatever the firmware
 * masks (arch_hosted_misses()). From arch_hosted_begin() to arch_hosted_end():
 *
 *	arch_irq_enable(), arch_irq_disable()	unmask and mask our timer only; the firmware's
 *						interrupts stay under its own control
 *	arch_cpu_count()			1: only the boot CPU is traced
 *	arch_timer_init()'s handler		runs on the interrupted stack, in NMI context;
 *						in IRQ context if NMIs are not possible
 *	arch_stack_bounds()			the firmware's stack, as far as it is known
 */
#ifndef ARCH_HOSTED_H
#define ARCH_HOSTED_H

#include "arch/arch.h"

/* EFI_CPU_ARCH_PROTOCOL.RegisterInterruptHandler() (PI 1.7, volume 2, 12.3.4.3), for an ISA
 * whose interrupts enter through the firmware's own vectors: exceptions of this type call
 * handler; NULL removes it. context is the pointer of EFI_SYSTEM_CONTEXT. Returns 0 or a
 * negative errno. Thread. */
typedef void (*arch_handed_fn)(intptr_t type, void *context);
typedef int (*arch_hand_on_fn)(intptr_t type, arch_handed_fn handler);

/* EDK2's EFI_HARDWARE_INTERRUPT_PROTOCOL: the firmware's interrupt controller driver calls a
 * registered handler for each interrupt number. Thread, except end(). */
struct arch_hosted_interrupts {
	/* Enable the interrupt and register handler, which must call end(); NULL: unregister and
	 * disable. Returns 0; 1: another handler was registered, and was removed; or a negative
	 * errno. */
	int (*lead)(uint32_t number, arch_handed_fn handler);
	void (*enable)(uint32_t number);
	void (*disable)(uint32_t number);
	bool (*is_enabled)(uint32_t number);
	/* Complete the interrupt at the end of its handler. IRQ. */
	void (*end)(uint32_t number);
};

/* [low, high): the boot CPU's stack, as reported by the firmware; both 0: not reported. */
struct arch_hosted_stack {
	uint64_t low, high;
};

/* The firmware's services that an ISA may need. */
struct arch_hosted_firmware {
	arch_hand_on_fn hand_on;
	const struct arch_hosted_interrupts *interrupts; /* NULL: no such protocol */
	struct arch_hosted_stack stack;
};

/* Begin hosted mode, with our timer masked. platform and the functions are kept by reference.
 * Returns 0; -ENODEV: the firmware leaves no timer to us; -ENOTSUP: hosted mode does not work in
 * the machine's mode. On an error *why is a phrase, and nothing was changed. On the boot CPU.
 * Thread, with boot services. */
int arch_hosted_begin(const struct arch_platform *platform,
                      const struct arch_hosted_firmware *firmware, const char **why);

/* The parts of the firmware that cannot be sampled in time: a phrase; NULL: none that we know of.
 * Valid from arch_hosted_begin() on, also after the end. Thread. */
const char *arch_hosted_misses(void);

/* Whether our interrupts are unmasked, for an ISA whose firmware may mask them together with its
 * own; arch_hosted_unmask() restores that. x86: the firmware cannot, 0. Any context. */
uint64_t arch_hosted_mask(void);
void arch_hosted_unmask(uint64_t mask);

/* Whether code of unknown origin may be assumed to keep frame records, by the ABI's rules and the
 * compilers' defaults. Any context. */
bool arch_hosted_assumes_frames(void);

/* For code in [start, end) that keeps frame records. has_frame: whether the frame pointer at pc is
 * the current function's own; at a function's begin and end it is not. is_return: whether ret is
 * the address behind a call; nothing else is checked. If the code does not show it, has_frame is
 * false and is_return true. Any context. */
bool arch_hosted_has_frame(uint64_t pc, uint64_t start, uint64_t end);
bool arch_hosted_is_return(uint64_t ret, uint64_t start);

/* For the same code: the return address of the function at pc while that function has no frame
 * record, as a leaf function. Returns 0 if it has one, or if it cannot be decided. The function
 * looks for the call before the return address, checks that it leads to pc's function, and checks
 * the instructions between the function's begin and pc. high: the end of the stack. Any context. */
uint64_t arch_hosted_leaf_return(const struct arch_regs *regs, uint64_t start, uint64_t end,
                                 uint64_t high);

/* Redirect our interrupts to us again, because the firmware may have changed its vectors or tables.
 * Call it before code is started. No effect outside hosted mode. Thread. */
void arch_hosted_again(void);

/* Give back everything that arch_hosted_begin() and drivers since then have changed. Thread. */
void arch_hosted_end(void);

/* Whether the address translation in use lets the CPU read this address, in an identity map. x86
 * reads the page tables; is_memory says whether they can be read. Thread. */
bool arch_can_read(uint64_t address, bool (*is_memory)(uint64_t address, uint64_t size));

#endif
