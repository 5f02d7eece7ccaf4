/* SPDX-License-Identifier: MIT */
/* The arch seam of branches by single-step (pmu/software/branch_step.h). */
#ifndef ARCH_STEP_H
#define ARCH_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* Called for the traced code's branches, in the context of an exception that interrupted a thread;
 * that thread's interrupts stay masked meanwhile. */
struct arch_step_ops {
	/* A branch from `from` to `to` was taken. */
	void (*taken)(uint64_t from, uint64_t to);
	/* After the last reported branch so many were taken whose addresses are not known;
	 * ARCH_MISSED_UNKNOWN: not even their number is known. Also in an IRQ. */
	void (*missed)(uint64_t count);
};
#define ARCH_MISSED_UNKNOWN UINT64_MAX

/* Whether this machine can single-step the code that it traces. Thread. */
bool arch_step_possible(void);

/* Set the functions that are called, on all CPUs; kept by reference. Arm: at the first call on each
 * CPU a few instructions are stepped, to see whether debug exceptions come. Returns 0; -EOPNOTSUPP:
 * this CPU cannot be single-stepped. Interrupts masked. Thread; also IRQ after the first call. */
int arch_step_init(const struct arch_step_ops *ops);

/* begin: from now on stop after every instruction of the traced code on this CPU (x86, and Arm
 * entered at EL1: of all threads; Arm entered at EL2: of the payload at EL1), and report the taken
 * branches; handlers are not stepped through. Interrupts masked. begin: thread; end: also IRQ. */
void arch_step_begin(void);
void arch_step_end(void);

/* Look whether stepping goes on. Arm runs a few instructions without a stop where it must; it steps
 * again if they have led elsewhere than expected. At each tick; IRQ. */
void arch_step_look(void);

#endif
