/* SPDX-License-Identifier: MIT */
/* Waits for the host's reader; docs/trace-region.md, "The reader". */
#ifndef AGENT_RECORD_READER_H
#define AGENT_RECORD_READER_H

#include <stdbool.h>

#include "channel/channel.h"
#include "ringbuf/region_writer.h"
#include "ringbuf/stream.h"

/* Returns whether a reader is announced whose lease is alive. Thread. */
bool reader_is_announced(const struct trace_region *region);

/* Wait until the announced reader, if any, reads this run's rings, and note the result in the
 * region's header. Call it after trace_region_set_recording(). The wait lasts at most TR_READER_MS,
 * on a clock that runs only while we look. The channel is pumped meanwhile. Thread. */
enum tr_reader_found reader_await(struct trace_region *region, struct channel *channel);

/* Note a ring of the run that has ended, for reader_await_read(): its control page, and the heads
 * of its data and its AUX area (0: no AUX area that is read). Thread. */
void reader_note_ring(const struct perf_event_mmap_page *control, uint64_t head, uint64_t aux_head);

/* Forget the noted rings, before the next run. Thread. */
void reader_forget_rings(void);

/* If a reader is announced and reads this run, wait until it has read the noted rings. Gives up
 * when the reader has read nothing for TR_READER_MS. Prints what it waits for. Thread. */
void reader_await_read(struct trace_region *region, struct channel *channel);

/* Print a message, then wait until a reader is announced, at most TR_READER_MS. Returns whether one
 * is. Thread. */
bool reader_await_one(struct trace_region *region, struct channel *channel);

/* As reader_await_read(), then wait until the reader withdraws, at most TR_READER_END_MS. Returns
 * whether the reader has read everything and has withdrawn. Thread. */
bool reader_await_end(struct trace_region *region, struct channel *channel);

/* Wait until the announced reader has made room in a stream, at most TR_READER_MS. Returns whether
 * there is room. The channel is pumped meanwhile. Thread. */
bool reader_await_room(struct trace_region *region, struct channel *channel, struct stream *stream);

/* Returns whether a reader has taken the whole recording out of RAM; if not, prints why. announced:
 * a reader was announced when the command began. If none was, it waits for one, because a host that
 * starts with the machine may be late. Thread. */
bool reader_took_all(struct trace_region *region, struct channel *channel, bool announced);

#endif
