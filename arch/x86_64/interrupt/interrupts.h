/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_INTERRUPT_INTERRUPTS_H
#define ARCH_X86_64_INTERRUPT_INTERRUPTS_H

#include "arch/arch.h"

/* Interrupt vectors that bareperf uses. Devices' vectors are in between. */
#define VECTOR_TIMER    0xf0
#define VECTOR_WORK     0xf1 /* wakes a CPU that sleeps; it has no handler */
#define VECTOR_SPURIOUS 0xff /* the local APIC's own; not acknowledged */

/* Call handler for this vector on every CPU; NULL: none, so that an exception panics and an
 * interrupt counts as spurious. After an interrupt's handler the local APIC gets an EOI. Thread. */
void interrupts_set_handler(unsigned vector, arch_handler_fn handler);

/* Handle #GP: if arch_reg_read() or arch_reg_write() accessed an MSR that does not exist, continue
 * at its landing; false: another cause. */
bool x86_msr_is_missing(const struct arch_regs *regs);

/* #GP: continues if arch_reg_read() or arch_reg_write() accessed an MSR that does not exist, else
 * panics (pmu.c). */
void x86_general_protection(const struct arch_regs *regs);

/* The NMI handler while no performance monitor handler is registered (nmi.c): returns that the NMI
 * is not ours. */
enum arch_pmi x86_pmi_unclaimed(const struct arch_regs *regs);

/* Hosted mode (hosted.c): an NMI on the boot CPU. Returns whether the performance monitor was a
 * cause. NMI. */
bool x86_nmi_hosted(const struct arch_regs *regs);

/* Send interrupts that were meant for the firmware, but came to us during the take-over, to the
 * boot CPU again, which is the caller; they wait until interrupts are unmasked. With the firmware's
 * APIC settings restored. */
void interrupts_give_back(void);

#endif
