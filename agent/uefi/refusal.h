/* SPDX-License-Identifier: MIT */
/*
 * Keeps the reason why the driver records nothing, for a user who asks later in the same boot. When
 * the boot manager loads the driver, no console shows a message. Boot services only. Thread.
 */
#ifndef AGENT_UEFI_REFUSAL_H
#define AGENT_UEFI_REFUSAL_H

/* In the driver: keep the reason in a variable of the firmware, until a reset. NULL: delete it. */
void refusal_note(const char *why);

/* Print the kept reason, if there is one. */
void refusal_report(void);

#endif
