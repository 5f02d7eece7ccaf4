/* SPDX-License-Identifier: MIT */
/*
 * The ways to run a command (docs/resident.md, docs/uefi.md):
 *
 *	exclusive	the firmware ends; only a reset brings it back
 *	resident	the firmware waits, and has the machine back afterwards
 *	hosted		the firmware continues, and an application that it runs is recorded
 *	hosted boot	the firmware continues without us, and its boot is recorded
 *
 * All of it is thread context, entered with the firmware's services.
 */
#ifndef BOOT_RUN_MODE_H
#define BOOT_RUN_MODE_H

#include <efi.h>

#include "arch/platform.h"

/* Run the accepted command in the mode that it asks for. Returns the status for the firmware; does
 * not return from exclusive mode. After agent_accept(). */
EFI_STATUS run_mode_enter(const struct arch_platform *platform);

/* The command cannot run: report the failed step (a phrase) and the reason (a negative errno) to
 * the user, the host and the firmware. Returns the status for the firmware. */
EFI_STATUS run_mode_refuse(const char *what, int code);

/* Return to the firmware after a command that was wrong, or that needed no take-over. Returns the
 * status for the firmware. */
EFI_STATUS run_mode_leave(void);

/* Free all memory of the image. Returns status, for the firmware. */
EFI_STATUS run_mode_end(EFI_STATUS status);

#endif
