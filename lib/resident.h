/* SPDX-License-Identifier: MIT */
/*
 * The machine, borrowed: boot services stay, and the firmware goes on afterwards as if nothing had
 * been (docs/resident.md). While the machine is ours the firmware does not run, so nobody may call
 * it, and the screen, which is its own, shows nothing of ours but a panic.
 */
#ifndef LIB_RESIDENT_H
#define LIB_RESIDENT_H

#include "arch/arch.h"

/* Make ready for arch_take_over(), after memory_prepare(): in place of
 * memory_exit_boot_services(). other_cpus: have the firmware lend them, where it must. 0; -ENOTSUP:
 * this CPU cannot be given back; -ENOMEM: no memory for a heap; processors_take_over()'s. After an
 * error the machine is the firmware's as before. Thread. */
int resident_begin(const struct arch_platform *platform, bool other_cpus);

/* Whether we are between resident_begin() and resident_end(). Thread. */
bool resident_has_taken_over(void);

/* After arch_take_over(): everything is the firmware's again, boot services and the console
 * included. 0, or an error of arch_cpus_end() or of processors_return(): then ResetSystem() is all
 * that is left. Thread. */
int resident_end(void);

#endif
