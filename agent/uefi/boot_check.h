/* SPDX-License-Identifier: MIT */
/*
 * Checks what record --boot needs, before the driver is registered for it. At the next boot no user
 * would see a refusal. Boot services only. Thread.
 */
#ifndef AGENT_UEFI_BOOT_CHECK_H
#define AGENT_UEFI_BOOT_CHECK_H

#include "arch/arch.h"
#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Take the parts of the machine that the command's recording needs, without starting it, and give
 * them back. Returns 0, or a negative errno; the reason is on the console and in the region. */
int boot_check(const struct command *command, struct trace_region *region, struct channel *channel,
               const struct arch_platform *platform);

/* Print for how long a region in RAM has room. After boot_check(). */
void boot_check_report_room(void);

#endif
