/* SPDX-License-Identifier: MIT */
/* The output of a recording if boot services continue. */
#ifndef AGENT_OUTPUT_H
#define AGENT_OUTPUT_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* How large a region in RAM is to be that nobody reads while it fills, bytes, a multiple of
 * TR_ALIGN; 0: the command records nothing. A quarter of the largest free block, 1 GiB at most, and
 * no less than what the command itself asks for on this many CPUs; but no more than the volume
 * takes. After memory_init(). Boot services only. */
uint64_t output_region_size(const struct command *command, unsigned cpus);

/* Exclusive: if the region is in RAM, by which ways alone something will come out. Thread. */
void output_only_ways(const struct channel *channel);

/* Exclusive: if it is in RAM, what the recording says, unless somebody reads it, where it lies and
 * how it gets from there to a host, for whoever sits in front of the machine. Thread. */
void output_next_steps(const struct command *command, const struct trace_region *region,
                       const struct channel *channel);

/* Is it about other CPUs than the boot CPU? Thread. */
bool output_other_cpus(const struct command *command);

/* Where the region is in RAM, wait until its reader, by a line or a debug probe, has the recording:
 * then that is delivered, and output_write() makes no file of what he has left. Thread. */
void output_to_reader(struct trace_region *region, struct channel *channel);

/* The machine was given back, and the region is whole: a recording that is in RAM, or that -o names
 * a file for, is written to a volume (agent/volume/volume.h); what it says stands on the screen.
 * *keep: its memory is to stay, by --keep or since there is no file; then no command->then ends it.
 * 0, or why there is none. Boot services only. Thread. */
int output_write(struct command *command, const struct channel *channel, bool *keep);

#endif
