/* SPDX-License-Identifier: MIT */
/* The arch seam of branches by single-step (pmu/software/branch_step.h). */
#ifndef ARCH_STEP_H
#define ARCH_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* A branch from `from` to `to` was taken. In the context of an exception that interrupted a thread;
 * that thread's interrupts stay masked meanwhile. */
typedef void (*arch_branch_fn)(uint64_t from, uint64_t to);

/* Whether this machine can single-step the code that it traces. Thread. */
bool arch_step_possible(void);

/* Set the function that is called for each taken branch, on all CPUs. Returns 0; -EOPNOTSUPP:
 * single-step is not possible. Thread. */
int arch_step_init(arch_branch_fn taken);

/* begin: from now on stop after every instruction of threads on this CPU, and report the taken
 * branches; handlers are not stepped through. Interrupts masked. begin: thread; end: also IRQ. */
void arch_step_begin(void);
void arch_step_end(void);

#endif
