/* SPDX-License-Identifier: MIT */
/*
 * Resident mode: boot services stay, and the firmware continues afterwards as if nothing had
 * happened (docs/resident.md). While the machine is taken over the firmware does not run, so it
 * must not be called; and the screen, which is the firmware's, shows nothing of ours but a panic.
 */
#ifndef LIB_RESIDENT_H
#define LIB_RESIDENT_H

#include "arch/arch.h"

/* Prepare for arch_take_over(), after memory_prepare(); replaces memory_exit_boot_services().
 * other_cpus: let the firmware hand them over, where only it can. Returns 0; -ENOTSUP: this CPU's
 * state could not be restored; -ENOMEM: no memory for a heap; processors_take_over()'s errors.
 * After an error the firmware has the machine as before. Thread. */
int resident_begin(const struct arch_platform *platform, bool other_cpus);

/* Whether we are between resident_begin() and resident_end(). Thread. */
bool resident_has_taken_over(void);

/* After arch_take_over(): give everything back to the firmware, boot services and the console
 * included. Returns 0, or an error of arch_cpus_end() or of processors_return(): then only
 * ResetSystem() may be called. Thread. */
int resident_end(void);

#endif
