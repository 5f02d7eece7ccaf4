/* SPDX-License-Identifier: MIT */
/*
 * The traced program's output, as bytes for the host (docs/trace-region.md, "Streams"): a ring in
 * the trace region that its reader empties. This code keeps private copies of values that it needs
 * again. It reads only the tail back from the region, and checks the tail.
 *
 *	writer					reader
 *	load tail, acquire  ◀────────────────	C: finish reading, release
 *	B: then overwrite read bytes	store tail
 *	write the bytes
 *	A: release  ─────────────────────────▶	D: load head, acquire
 *	store head				read the bytes before head
 *
 * One writer at a time. Thread.
 */
#ifndef RINGBUF_STREAM_H
#define RINGBUF_STREAM_H

#include "abi/trace_region.h"

struct stream {
	struct tr_stream *shared;
	uint8_t *bytes;
	uint32_t size; /* a power of two */
	uint64_t head, tail, first, lost;
};

/* Makes an empty stream of size bytes. bytes: their address; offset: their place in the region.
 * shared: the stream's entry, all 0. */
void stream_init(struct stream *stream, struct tr_stream *shared, void *bytes, uint64_t offset,
                 uint32_t size);

/* Begins a new run: unread bytes of the last run do not belong to it. */
void stream_begin(struct stream *stream);

/* Returns the number of bytes that can be put now. Ignores an invalid tail and keeps the last valid
 * one. */
uint64_t stream_room(struct stream *stream);

/* Puts as many of size bytes as fit. Returns their number. */
uint64_t stream_put(struct stream *stream, const void *bytes, uint64_t size);

/* Makes room for size bytes (at most the ring's size) by dropping the oldest bytes. Only without a
 * reader. */
void stream_make_room(struct stream *stream, uint64_t size);

/* Counts bytes that are dropped and never put. */
void stream_lose(struct stream *stream, uint64_t size);

#endif
