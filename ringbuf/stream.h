/* SPDX-License-Identifier: MIT */
/*
 * The traced program's output, as bytes for the host (docs/trace-region.md, "Streams"): a ring in
 * the trace region that its reader empties. Values that are needed again are kept here; only the
 * tail is read back from the region, and checked.
 *
 *	writer					reader
 *	load tail, acquire  ◀────────────────	C: finish reading, release
 *	B: then write over what was read	store tail
 *	write the bytes
 *	A: release  ─────────────────────────▶	D: load head, acquire
 *	store head				read what is before it
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

/* An empty one of size bytes, which lie at bytes and at this offset of the region; shared is its
 * entry, all 0. */
void stream_init(struct stream *stream, struct tr_stream *shared, void *bytes, uint64_t offset,
                 uint32_t size);

/* A new run: what nobody has read of the last one is not its. */
void stream_begin(struct stream *stream);

/* Bytes that can be put now. A tail that cannot be is passed over, and the last one stays. */
uint64_t stream_room(struct stream *stream);

/* Put as many of size bytes as there is room for: how many. */
uint64_t stream_put(struct stream *stream, const void *bytes, uint64_t size);

/* Have room for size bytes (at most the ring's size) by giving up the oldest. Where nobody reads.
 */
void stream_make_room(struct stream *stream, uint64_t size);

/* Count bytes that are not put at all. */
void stream_lose(struct stream *stream, uint64_t size);

#endif
