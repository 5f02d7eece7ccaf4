/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_PMU_STEP_H
#define ARCH_X86_64_PMU_STEP_H

/* Forget this CPU's last instruction: execution continues at a place to which that instruction did
 * not lead. Any context. */
void step_forget(void);

#endif
