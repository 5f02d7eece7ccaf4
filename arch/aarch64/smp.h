/* SPDX-License-Identifier: MIT */
#ifndef ARCH_AARCH64_SMP_H
#define ARCH_AARCH64_SMP_H

#include "arch/aarch64/cpu.h"

/* Switch off all CPUs that wait for work; a CPU that still runs something is left running.
 * Thread. */
void arm_cpus_off(void);

/* start.S: the code where PSCI starts a CPU, MMU off, x0 = its struct arm_cpu; and the code's
 * end. */
extern char arm_secondary_start[], arm_secondary_end[];

/* Called by start.S with translation on, as a thread on the CPU's own stack. */
_Noreturn void arm_secondary_main(struct arm_cpu *cpu);

#endif
