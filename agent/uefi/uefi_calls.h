/* SPDX-License-Identifier: MIT */
/*
 * Who waits: callchains lead through Stall(), WaitForEvent() and CheckEvent() to their callers,
 * even where the firmware's code keeps no frame records, since code of ours stands before them
 * meanwhile; by it a reader tells waiting from work (host-tools/report/uefi/waits.c).
 */
#ifndef AGENT_UEFI_UEFI_CALLS_H
#define AGENT_UEFI_UEFI_CALLS_H

/* Begin and end, with boot services alive. Others may hook these services in between
 * (lib/efi/efi_hook.h). Thread. */
void uefi_calls_begin(void);
void uefi_calls_end(void);

#endif
