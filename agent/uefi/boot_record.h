/* SPDX-License-Identifier: MIT */
/*
 * A recording of the firmware's own boot (record --boot). bareperf-dxe.efi's entry point returns,
 * and the recording continues until
 *
 *	a call of ExitBootServices()	before it runs, if the recording becomes a file
 *	ExitBootServices() itself		if a host shares the memory, or writing failed
 *	bareperf.efi stop			from the shell
 *	--until					agent/uefi/boot_until.h
 *
 * The driver installs a protocol for `stop', by which bareperf.efi also sees that a recording runs:
 * timer and region cannot be used twice. For the same reason bareperf.efi installs that protocol
 * while it records another image, because bareperf.efi may be started inside that image.
 */
#ifndef AGENT_UEFI_BOOT_RECORD_H
#define AGENT_UEFI_BOOT_RECORD_H

#include <stdbool.h>

#include "command/command.h"

/* Let the recording continue. end(why) ends it, writes it to a file and gives everything back, at
 * TPL_CALLBACK or below. Without memory to continue, end is called before this returns. why: a
 * message, or NULL. Boot services only. Thread. */
void boot_record_begin(const struct command_until *until, void (*end)(const char *why));

/* End the recording before boot services end. Returns false if it had already ended. Boot services
 * only. TPL_CALLBACK or below. */
bool boot_record_leaves(void);

/* Announce that an image is being recorded by this command, whose text must stay; NULL: no longer.
 * Boot services only. Thread. */
void boot_record_hosts(const char *command);

/* Returns whether another bareperf image is recording. If so, and our load options are `stop' and
 * it records a boot, it is stopped (*stopped). Otherwise the recording and its end are described on
 * the console. Call it first. Boot services only. Thread. */
bool boot_record_is_elsewhere(bool *stopped);

#endif
