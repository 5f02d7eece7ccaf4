/* SPDX-License-Identifier: MIT */
/* The host's reader, who is waited for; docs/trace-region.md, "The reader". */
#ifndef AGENT_RECORD_READER_H
#define AGENT_RECORD_READER_H

#include <stdbool.h>

#include "channel/channel.h"
#include "ringbuf/region_writer.h"
#include "ringbuf/stream.h"

/* Is a reader announced, other than one whose lease was found to stand still? Thread. */
bool reader_is_announced(const struct trace_region *region);

/* Wait until the reader that is announced, if any, reads this run's rings, and tell the header what
 * was found. After trace_region_set_recording(). Lasts TR_READER_MS at the most, of a clock that
 * goes on only while we look; channel pumps meanwhile. Thread. */
enum tr_reader_found reader_await(struct trace_region *region, struct channel *channel);

/* A ring of the run that has ended, which was to be read: its control page, and how far it goes; of
 * an AUX area that is not, 0. Forgotten by the next run. Thread. */
void reader_note_ring(const struct perf_event_mmap_page *control, uint64_t head, uint64_t aux_head);
void reader_forget_rings(void);

/* Wait until the reader that is announced, if it reads this run, has read these rings; for as long
 * as it goes on with that, and TR_READER_MS more. Says so. Thread. */
void reader_await_read(struct trace_region *region, struct channel *channel);

/* Wait for a reader to be announced, for TR_READER_MS at the most, and say so: is there one?
 * Thread. */
bool reader_await_one(struct trace_region *region, struct channel *channel);

/* Wait until the reader that is announced, if any, has read these rings, as reader_await_read(),
 * and then until it withdraws, for TR_READER_END_MS at the most. Says so. True: it has all, and has
 * withdrawn. Thread. */
bool reader_await_end(struct trace_region *region, struct channel *channel);

/* Wait until the reader that is announced has made room in a stream, for TR_READER_MS at the most:
 * has it? channel pumps meanwhile. Thread. */
bool reader_await_room(struct trace_region *region, struct channel *channel, struct stream *stream);

/* Has somebody taken home what lies in RAM? announced: a reader was, when the command began; who
 * boots with one cannot be here before. Else it is said. Thread. */
bool reader_took_home(struct trace_region *region, struct channel *channel, bool announced);

#endif
