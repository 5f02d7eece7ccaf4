/* SPDX-License-Identifier: MIT */
/*
 * What record --boot needs, before the driver is registered for it: at the next boot it refuses
 * where nobody hears it. Boot services only. Thread.
 */
#ifndef AGENT_UEFI_BOOT_CHECK_H
#define AGENT_UEFI_BOOT_CHECK_H

#include "arch/arch.h"
#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Have all of the machine that the command's recording takes, but for its start, and give it back.
 * 0, or a negative errno: why it would be refused is on the console, and in the region. */
int boot_check(const struct command *command, struct trace_region *region, struct channel *channel,
               const struct arch_platform *platform);

/* Say for how long its region has room, where it is in RAM. After boot_check(). */
void boot_check_tell_room(void);

#endif
