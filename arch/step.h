/* SPDX-License-Identifier: MIT */
/* The arch seam of branches by single-step (pmu/software/branch_step.h). */
#ifndef ARCH_STEP_H
#define ARCH_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* The instruction at from has branched to to. In an exception's context, which interrupts a thread
 * only; the thread's interrupts stay out meanwhile. */
typedef void (*arch_branch_fn)(uint64_t from, uint64_t to);

/* Can this machine step through the code that it traces? Thread. */
bool arch_step_possible(void);

/* Set the function that is called for branches, on all CPUs. 0; -EOPNOTSUPP if it is not possible.
 * Thread. */
int arch_step_init(arch_branch_fn taken);

/* From now on, on this CPU, stop after every instruction of threads, and tell of those that
 * branched; handlers are not stepped through. Interrupts masked. begin: thread; end: IRQ, too. */
void arch_step_begin(void);
void arch_step_end(void);

#endif
