/* SPDX-License-Identifier: MIT */
/* Where a recording goes: to a file, to a reader, or it stays in RAM. */
#ifndef AGENT_OUTPUT_H
#define AGENT_OUTPUT_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Returns the size in bytes, a multiple of TR_ALIGN, of a region in RAM that no host reads while it
 * fills; 0: the command records nothing. It is a quarter of the largest free block, at most 1 GiB,
 * at most what the volume takes, and at least what the command needs on this many CPUs. After
 * memory_init(). Boot services only. */
uint64_t output_region_size(const struct command *command, unsigned cpus);

/* Exclusive mode: if the region is in RAM, print how a recording can be read. Thread. */
void output_only_ways(const struct channel *channel);

/* Exclusive mode: if the region is in RAM, print for the user in front of the machine the
 * recording's summary (unless a host reads it), its address, and how to copy it to a host. Thread.
 */
void output_next_steps(const struct command *command, const struct trace_region *region,
                       const struct channel *channel);

/* Returns whether the command uses other CPUs than the boot CPU. Thread. */
bool output_other_cpus(const struct command *command);

/* If the region is in RAM, wait until its reader, over a line or a debug probe, has taken the
 * recording. Then output_write() writes no file. Thread. */
void output_to_reader(struct trace_region *region, struct channel *channel);

/* When the firmware has the machine back: print the recording's summary. If the recording is in
 * RAM, or -o names a file, write it to a volume (agent/volume/volume.h). *keep: the memory must
 * stay, because of --keep or because there is no file; then command->then is cleared. Returns 0, or
 * the errno why there is no file. Boot services only. Thread. */
int output_write(struct command *command, const struct channel *channel, bool *keep);

#endif
