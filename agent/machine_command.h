/* SPDX-License-Identifier: MIT */
/* The commands that need the whole machine, and record nothing. */
#ifndef AGENT_MACHINE_COMMAND_H
#define AGENT_MACHINE_COMMAND_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Carry out bench, noise, selftest or list; a self-test may change command->then. 0, or a negative
 * errno whose reason is the region's message. Thread of the boot CPU. */
int machine_command_run(struct command *command, struct trace_region *region,
                        struct channel *channel);

#endif
