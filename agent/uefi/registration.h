/* SPDX-License-Identifier: MIT */
/*
 * Our driver (the image's name with -dxe: bareperf-dxe.efi) among those that the firmware's boot
 * manager loads (UEFI 2.10, 3.1.3): a variable Driver#### of ours, and its number in DriverOrder.
 * Boot services only. Thread.
 */
#ifndef AGENT_UEFI_REGISTRATION_H
#define AGENT_UEFI_REGISTRATION_H

/* Have the driver that lies beside our own image loaded at each boot, after those that are
 * registered already, with this command as its load options; in place of a registration of ours
 * that there is. 0 or a negative errno, which is said. */
int registration_add(const char *command);

/* No more: both variables are as if it had never been. 0, where there is none as well, or a
 * negative errno, which is said. */
int registration_remove(void);

/* Say which boot entries are Windows' boot manager (docs/uefi.md, "Not sampled"). */
void registration_warn_of_windows(void);

#endif
