/* SPDX-License-Identifier: MIT */
/*
 * The arch seam where the firmware stays and has its machine back afterwards (docs/resident.md):
 *
 *	arch_prepare()		arch/arch.h
 *	arch_keep_firmware()
 *	arch_cpu_take_over()		on each other CPU that the firmware lends
 *	arch_take_over()	arch/arch.h
 *	arch_cpus_end()
 *	arch_give_back()	arch/arch.h
 */
#ifndef ARCH_TAKEOVER_H
#define ARCH_TAKEOVER_H

#include "arch/arch.h"

/* Before anything else of ours, with the firmware's services: switch on what our code uses and a
 * firmware may have left off; it stays on. Thread. */
void arch_begin(void);

/* The firmware stays, with its boot services: from arch_take_over() on nothing is done to the
 * machine that arch_cpus_end() and arch_give_back() cannot undo. After arch_prepare(), before
 * arch_cpu_take_over(). 0; -ENOTSUP: the CPU is in a mode that cannot be given back. Thread. */
int arch_keep_firmware(void);

/* The firmware that stays may have the other CPUs: x86, where it lends them (EFI_MP_SERVICES), and
 * arch_cpu_run() reaches no others. Arm: false, PSCI starts them. */
bool arch_cpus_are_firmwares(void);

/* The calling CPU, which the firmware has started for this, is ours until arch_cpus_end(); then it
 * has again what it had, and this returns. At once if it is none of arch_prepare()'s platform, or
 * not like the boot CPU. After arch_keep_firmware(), on the firmware's stack of that CPU. */
void arch_cpu_take_over(void);

/* How many are lent now. Any CPU's thread. */
unsigned arch_cpus_taken_over(void);

/* The firmware's again: the CPUs that it lent return to it, those that arch_cpu_run() started are
 * switched off. 0; -EBUSY: one still runs something; -ETIMEDOUT: one did not go within
 * ARCH_CPU_PATIENCE; -EIO: one cannot be switched off. Then a reset is left. The boot CPU's thread,
 * before arch_give_back(), with boot services to come. */
int arch_cpus_end(void);

#endif
