/* SPDX-License-Identifier: MIT */
/*
 * The program's output: to the host on the trace region's streams (ringbuf/stream.h), and to the
 * console. A program that prints faster than its reader reads has to wait, as with a pipe.
 */
#ifndef AGENT_PAYLOAD_PAYLOAD_OUTPUT_H
#define AGENT_PAYLOAD_PAYLOAD_OUTPUT_H

#include "ringbuf/region_writer.h"
#include "ringbuf/stream.h"

/* Begin a run: drop output that is left from the last run. The region must stay valid, and must be
 * the same each time. Thread. */
void payload_output_begin(const struct trace_region *region);

/* Print size bytes on TR_STREAM_OUT or TR_STREAM_ERROR. The caller has checked that they are
 * readable. Waits while the reader makes progress, and TR_STALL_MS longer; then the bytes without
 * room are counted as lost. Any thread of the payload; does not return if the payload is being
 * ended. */
void payload_output_write(enum tr_stream_kind kind, const void *bytes, uint64_t size);

/* Returns the stream for files. Thread. */
struct stream *payload_output_files(void);

#endif
