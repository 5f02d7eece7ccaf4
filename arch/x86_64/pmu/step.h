/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_PMU_STEP_H
#define ARCH_X86_64_PMU_STEP_H

/* This CPU goes on elsewhere than where its last instruction led. Any context. */
void step_forget(void);

#endif
