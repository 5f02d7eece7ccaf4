/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_INTERRUPT_INTERRUPTS_H
#define ARCH_X86_64_INTERRUPT_INTERRUPTS_H

#include "arch/arch.h"

/* Interrupt vectors that we use. A device's interrupts are in between. */
#define VECTOR_TIMER    0xf0
#define VECTOR_WORK     0xf1 /* wakes a CPU that sleeps; nobody handles it */
#define VECTOR_SPURIOUS 0xff /* the local APIC's own; not acknowledged */

/* Call handler for this vector on every CPU; NULL: nobody, so an exception panics and an interrupt
 * counts as spurious. The local APIC is told when the handler of an interrupt returns. Thread. */
void interrupts_set_handler(unsigned vector, arch_handler_fn handler);

/* A #GP with these registers: goes on where arch_reg_read() or arch_reg_write() named an MSR that
 * does not exist; false: it was nothing of that kind. */
bool x86_msr_is_missing(const struct arch_regs *regs);

/* #GP: goes on where arch_reg_read() or arch_reg_write() named an MSR that does not exist, else
 * panics (pmu.c). */
void x86_general_protection(const struct arch_regs *regs);

/* Whose an NMI is while nobody takes part in it (nmi.c): not ours. */
enum arch_pmi x86_pmi_nobodys(const struct arch_regs *regs);

/* Where the firmware goes on (hosted.c): an NMI of the boot CPU's: whether the performance monitor
 * had a part in it. NMI. */
bool x86_nmi_hosted(const struct arch_regs *regs);

/* Send the boot CPU, which the caller is, what was on its way to the firmware when we took it and
 * came to us: it waits until interrupts are let in. With the firmware's APIC settings. */
void interrupts_give_back(void);

#endif
