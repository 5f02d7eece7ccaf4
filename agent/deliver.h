/* SPDX-License-Identifier: MIT */
/* What becomes of a recording when boot services go on. */
#ifndef AGENT_DELIVER_H
#define AGENT_DELIVER_H

#include "agent/parse/command.h"
#include "channel/channel.h"
#include "ringbuf/region_writer.h"

/* How large a region in RAM is to be that nobody reads while it fills, bytes, a multiple of
 * TR_ALIGN: a quarter of the largest free block, 1 GiB at most, and no less than what the command
 * itself asks for on this many CPUs. After memory_init(). Boot services only. */
uint64_t region_size_for(const struct command *command, unsigned cpus);

/* Exclusive: if it is in RAM, what the recording says, unless somebody reads it, where it lies and
 * how it gets from there to a host, for whoever sits in front of the machine. Thread. */
void deliver_next_steps(const struct command *command, const struct trace_region *region,
                        const struct channel *channel);

/* Is it about other CPUs than the boot CPU? Thread. */
bool deliver_other_cpus(const struct command *command);

/* The machine was given back, the region is whole, and it is freed afterwards, unless --keep was
 * said. Boot services only. Thread. */
void deliver(const struct command *command, const struct trace_region *region,
             const struct channel *channel);

#endif
