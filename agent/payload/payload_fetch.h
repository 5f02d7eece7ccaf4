/* SPDX-License-Identifier: MIT */
/* Files that the program has written, for the reader: --fetch. */
#ifndef AGENT_PAYLOAD_PAYLOAD_FETCH_H
#define AGENT_PAYLOAD_PAYLOAD_FETCH_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* <bareperf/system.h>'s offer_files(). From the payload. */
void payload_fetch_offer(int (*find)(const char *name, const void **bytes, uint64_t *size));

/* Nobody has offered anything. Before each run. Thread. */
void payload_fetch_begin(void);

/*
 * The workload has ended, and nothing is traced any more. To a reader that is announced the
 * command's files are sent by TR_STREAM_FILES, one behind the other, as long as it goes on; what is
 * not to be had with a status that says why. Where there is none, and the firmware is to go on,
 * they are kept for payload_fetch_save(): so many bytes at the end of the payload's heap must stay
 * as they are, which is what it returns. Thread.
 */
uint64_t payload_fetch(const struct command *command, struct trace_region *region,
                       struct channel *channel);

/* Write what is kept beside the recording's file at path, and say of each file what became of it.
 * 0; or the first failure: -ENOENT, the program has written none of this name; -EFAULT;
 * volume_write_beside()'s. Boot services only. Thread. */
int payload_fetch_save(const struct command *command, const char *path);

#endif
