/* SPDX-License-Identifier: MIT */
/*
 * What the program prints: to the host by the trace region's streams (ringbuf/stream.h), and to the
 * console's people. A program that prints faster than its reader reads waits, as at a pipe.
 */
#ifndef AGENT_PAYLOAD_PAYLOAD_OUTPUT_H
#define AGENT_PAYLOAD_PAYLOAD_OUTPUT_H

#include "ringbuf/region_writer.h"
#include "ringbuf/stream.h"

/* A run begins: what is left of the last one's is not its. The region, always the same, is kept by
 * reference. Thread. */
void payload_output_begin(const struct trace_region *region);

/* Print size bytes, whose memory was checked, on TR_STREAM_OUT or TR_STREAM_ERROR. Waits for a
 * reader that goes on, and for TR_STAND_MS for one that does not; what then finds no room is
 * counted as lost. Any of the payload's threads; leaves it if all is to end. */
void payload_output_write(enum tr_stream_kind kind, const void *bytes, uint64_t size);

/* The stream of files, for who sends them. Thread. */
struct stream *payload_output_files(void);

#endif
