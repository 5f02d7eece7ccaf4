/* SPDX-License-Identifier: MIT */
/*
 * Why the driver records nothing, for whoever asks later in the same boot: when the boot manager
 * loads it, no console is connected that would show it. Boot services only. Thread.
 */
#ifndef AGENT_UEFI_REFUSAL_H
#define AGENT_UEFI_REFUSAL_H

/* If we are the driver: note the reason, in a variable of the firmware's that a reset forgets;
 * NULL: there is none any more. */
void refusal_note(const char *why);

/* Say it, if there is one. */
void refusal_tell(void);

#endif
