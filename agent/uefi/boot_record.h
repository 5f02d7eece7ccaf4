/* SPDX-License-Identifier: MIT */
/*
 * The firmware's own boot is recorded (record --boot): bareperf-dxe.efi's entry point has returned,
 * and the recording goes on until
 *
 *	somebody calls ExitBootServices()	with all services alive, if it is to become a file
 *	ExitBootServices() itself		where a host shares the memory, or that failed
 *	bareperf.efi stop			from the shell
 *	--until					agent/uefi/boot_until.h
 *
 * For the last the driver has a protocol of ours, by which bareperf.efi knows that there is one:
 * timer and region are not to be had twice. For the same reason an image of ours that records
 * another image has that protocol meanwhile: bareperf.efi may be started within that.
 */
#ifndef AGENT_UEFI_BOOT_RECORD_H
#define AGENT_UEFI_BOOT_RECORD_H

#include <stdbool.h>

#include "command/command.h"

/* The recording goes on; end ends it, gives all back, and makes a file of it, at TPL_CALLBACK or
 * below; before this returns, where there is no memory to go on. why: what there is to say of that,
 * or NULL. Boot services only, as all here. Thread. */
void boot_record_begin(const struct command_until *until, void (*end)(const char *why));

/* End it before boot services end. False: it has ended before. TPL_CALLBACK or below. */
bool boot_record_leaves(void);

/* An image is recorded, by this command, which is kept by reference; NULL: no more. Thread. */
void boot_record_hosts(const char *command);

/* Another image of ours records: carry out what our load options say, if that can be done, which is
 * stop where it records the boot; else say on the console which one it is, and how it ends. false:
 * none does. Before anything else is looked at. Thread. */
bool boot_record_is_elsewhere(bool *stopped);

#endif
