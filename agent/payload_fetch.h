/* SPDX-License-Identifier: MIT */
/* Files that the program has written, for the reader: --fetch. */
#ifndef AGENT_PAYLOAD_FETCH_H
#define AGENT_PAYLOAD_FETCH_H

#include "agent/parse/command.h"
#include "channel/channel.h"
#include "ringbuf/region_writer.h"

/* <bareperf/system.h>'s offer_files(). From the payload. */
void payload_fetch_offer(int (*find)(const char *name, const void **bytes, uint64_t *size));

/* Nobody has offered anything. Before each run. Thread. */
void payload_fetch_begin(void);

/* The workload has ended, and nothing is traced any more: send the command's files by
 * TR_STREAM_FILES, one behind the other, as long as the reader goes on; what is not to be had with
 * a status that says why. Nothing where no reader is announced. Thread. */
void payload_fetch(const struct command *command, struct trace_region *region,
                   struct channel *channel);

#endif
