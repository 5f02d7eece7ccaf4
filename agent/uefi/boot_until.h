/* SPDX-License-Identifier: MIT */
/*
 * What ends the recording of a boot while the firmware goes on (--until): each is an event's
 * notification at TPL_CALLBACK, where files may be written (UEFI 2.10, 7.1, "TPL Restrictions").
 * Code that stays above that level holds all of them up.
 *
 *	ready-to-boot	EFI_EVENT_GROUP_READY_TO_BOOT (7.1.4): before each boot option's attempt,
 *			of which the first counts
 *	SECONDS		a timer
 *	key		Ctrl-R (agent/uefi/boot_key.h)
 */
#ifndef AGENT_UEFI_BOOT_UNTIL_H
#define AGENT_UEFI_BOOT_UNTIL_H

#include "command/command.h"

/* Have reached() called by the first that comes, and by later ones until boot_until_end(), with
 * what it was, as a phrase. 0, or -ENOMEM: nothing is waited for. Boot services only, as below.
 * Thread. */
int boot_until_begin(const struct command_until *until, void (*reached)(const char *what));

/* No more: of all that was registered nothing remains. No effect where there is nothing. Also by
 * reached(). TPL_CALLBACK or below. */
void boot_until_end(void);

#endif
