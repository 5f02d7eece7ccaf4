/* SPDX-License-Identifier: MIT */
/* The host's reader, who is waited for; docs/trace-region.md, "Who reads". */
#ifndef AGENT_READER_H
#define AGENT_READER_H

#include <stdbool.h>

#include "channel/channel.h"
#include "ringbuf/region_writer.h"

/* Is a reader announced, other than one whose lease was found to stand still? Thread. */
bool reader_is_announced(const struct trace_region *region);

/* Wait until the reader that is announced, if any, reads this run's rings, and tell the header what
 * was found. After trace_region_set_recording(). Lasts TR_READER_MS at the most, of a clock that
 * goes on only while we look; channel pumps meanwhile. Thread. */
enum tr_reader_found reader_await(struct trace_region *region, struct channel *channel);

/* Wait until the reader has withdrawn, which is true, or its lease is lost. For as long as somebody
 * changes the lease; channel pumps meanwhile. Thread. */
bool reader_await_end(struct trace_region *region, struct channel *channel);

#endif
