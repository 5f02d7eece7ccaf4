/* SPDX-License-Identifier: MIT */
/* Delivers files that the program has written: --fetch. */
#ifndef AGENT_PAYLOAD_PAYLOAD_FETCH_H
#define AGENT_PAYLOAD_PAYLOAD_FETCH_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Set the function that finds the program's files: offer_files() of <bareperf/system.h>. Payload's
 * thread. */
void payload_fetch_offer(int (*find)(const char *name, const void **bytes, uint64_t *size));

/* Forget that function. Before each run. Thread. */
void payload_fetch_begin(void);

/*
 * Deliver the command's files, after the workload has ended and the events have stopped. If a
 * reader is announced, they are sent to it one after the other on TR_STREAM_FILES, as long as it
 * reads; a file that cannot be delivered is sent as a status with the reason. If there is no reader
 * and the firmware continues afterwards, the files are kept for payload_fetch_save(). Returns the
 * bytes at the end of the payload's heap that must then stay unchanged. Thread.
 */
uint64_t payload_fetch(const struct command *command, struct trace_region *region,
                       struct channel *channel);

/* Write the kept files beside the recording's file at path, and print the result for each. Returns
 * 0, or the first failure: -ENOENT (the program has not written a file of this name), -EFAULT (the
 * program gave an invalid address or size), or volume_write_beside()'s. Boot services only. Thread.
 */
int payload_fetch_save(const struct command *command, const char *path);

#endif
