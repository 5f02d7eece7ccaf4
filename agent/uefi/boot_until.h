/* SPDX-License-Identifier: MIT */
/*
 * The ends of a boot's recording by --until, while the firmware continues. Each is an event's
 * notification at TPL_CALLBACK, at which files may be written (UEFI 2.10, 7.1, "TPL Restrictions").
 * Code that stays above that level delays all of them.
 *
 *	ready-to-boot	EFI_EVENT_GROUP_READY_TO_BOOT (7.1.4): before each boot option's attempt,
 *			of which the first counts
 *	SECONDS		a timer
 *	key		Ctrl-R (agent/uefi/boot_key.h)
 */
#ifndef AGENT_UEFI_BOOT_UNTIL_H
#define AGENT_UEFI_BOOT_UNTIL_H

#include "command/command.h"

/* Call reached() at each end until boot_until_end(), with a phrase that names the end. Returns 0,
 * or -ENOMEM: no end is registered. Boot services only. Thread. */
int boot_until_begin(const struct command_until *until, void (*reached)(const char *what));

/* Unregister all ends. No effect if there are none. reached() may call it. Boot services only.
 * TPL_CALLBACK or below. */
void boot_until_end(void);

#endif
