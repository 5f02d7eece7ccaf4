/* SPDX-License-Identifier: MIT */
/*
 * Hooks of Stall(), WaitForEvent() and CheckEvent(), so that a callchain has their callers even if
 * the firmware's code keeps no frame records. By these callchains a reader distinguishes waiting
 * from work (host-tools/report/uefi/waits.c).
 */
#ifndef AGENT_UEFI_UEFI_CALLS_H
#define AGENT_UEFI_UEFI_CALLS_H

/* Install and remove the hooks. Boot services only. Other code may hook these services in between
 * (lib/efi/efi_hook.h). Thread. */
void uefi_calls_begin(void);
void uefi_calls_end(void);

#endif
