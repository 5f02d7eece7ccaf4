/* SPDX-License-Identifier: MIT */
#ifndef ARCH_AARCH64_PMU_STEP_H
#define ARCH_AARCH64_PMU_STEP_H

#include <stdbool.h>

struct arch_regs;

/* If this synchronous exception belongs to single-step, handle it and return true. In the
 * exception's handler. */
bool arm_step_exception(struct arch_regs *regs);

/* Traced code continues at a place to which its last instruction did not lead. In a handler; or in
 * a thread at EL2. */
void arm_step_forget(void);

#endif
