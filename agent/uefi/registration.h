/* SPDX-License-Identifier: MIT */
/*
 * Registers bareperf's driver (the image's name with -dxe: bareperf-dxe.efi) with the firmware's
 * boot manager (UEFI 2.10, 3.1.3): a variable Driver####, and its number in DriverOrder. Boot
 * services only. Thread.
 */
#ifndef AGENT_UEFI_REGISTRATION_H
#define AGENT_UEFI_REGISTRATION_H

/* Register the driver that is beside our own image: each boot loads it after the drivers that are
 * already registered, with this command as its load options. It replaces an earlier registration of
 * bareperf. Returns 0, or a negative errno and a message. */
int registration_add(const char *command);

/* Remove the registration from both variables. Returns 0, also if there is none, or a negative
 * errno and a message. */
int registration_remove(void);

/* Print which boot entries are Windows' boot manager (docs/uefi.md, "Not sampled"). */
void registration_warn_of_windows(void);

#endif
