/* SPDX-License-Identifier: MIT */
/*
 * The arch seam for resident mode: the firmware stays in memory and gets its machine back
 * afterwards (docs/resident.md):
 *
 *	arch_prepare()		arch/arch.h
 *	arch_keep_firmware()
 *	arch_cpu_take_over()		on each other CPU that the firmware hands over
 *	arch_take_over()	arch/arch.h
 *	arch_cpus_end()
 *	arch_give_back()	arch/arch.h
 */
#ifndef ARCH_TAKEOVER_H
#define ARCH_TAKEOVER_H

#include "arch/arch.h"

/* Call it first, with boot services: enables CPU features that our code uses and a firmware may
 * have left off; they stay on. Thread. */
void arch_begin(void);

/* Note that the firmware stays, with its boot services: from arch_take_over() on only changes
 * are made that arch_cpus_end() and arch_give_back() can undo. After arch_prepare(), before
 * arch_cpu_take_over(). Returns 0; -ENOTSUP: the CPU is in a mode that cannot be restored.
 * Thread. */
int arch_keep_firmware(void);

/* Whether the other CPUs belong to the firmware that stays. x86: true; it hands them over through
 * EFI_MP_SERVICES, and arch_cpu_run() reaches no others. Arm: false, PSCI starts them. */
bool arch_cpus_are_firmwares(void);

/* Take over the calling CPU, which the firmware has started for this purpose, until
 * arch_cpus_end(). Then its former state is restored, and this returns. Returns at once if the CPU
 * is not in arch_prepare()'s platform or differs from the boot CPU. After arch_keep_firmware(), on
 * the firmware's stack of that CPU. */
void arch_cpu_take_over(void);

/* The number of CPUs that are taken over now. Any CPU's thread. */
unsigned arch_cpus_taken_over(void);

/* Give the other CPUs back: those taken over return to the firmware, those that arch_cpu_run()
 * started are switched off. Returns 0; -EBUSY: one still runs something; -ETIMEDOUT: one did not
 * respond within ARCH_CPU_PATIENCE; -EIO: one cannot be switched off. After an error only a reset
 * helps. The boot CPU's thread, before arch_give_back(). */
int arch_cpus_end(void);

#endif
