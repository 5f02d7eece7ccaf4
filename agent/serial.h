/* SPDX-License-Identifier: MIT */
/* The machine's serial lines, between console, region and panics. */
#ifndef AGENT_SERIAL_H
#define AGENT_SERIAL_H

#include "channel/channel.h"
#include "ringbuf/region_writer.h"

/* Whether there may be lines: resident, none, as the firmware's console may be on any, unless the
 * firmware goes on meanwhile (hosted): then serial_start() can ask it. Thread. */
void serial_choose(struct channel *channel, bool resident, bool hosted);

/* Beside firmware: there are no lines any more, and the firmware may have its cards: before
 * hosted_end(), as who pumps is a CPU of ours. Thread. */
void serial_end(struct channel *channel);

/* Wait until all pending output has been sent. channel may be NULL. Thread. */
void serial_drain(struct channel *channel);

/* Start the channel's lines, if it may have any: they take the console's UART, carry its text and a
 * panic's, and know where the region's HOST words are. Beside firmware that goes on that UART is
 * its own, and lines are the cards that it has no use for, until serial_end(). Says what they
 * reach. Once, after the clock; thread. */
void serial_start(struct channel *channel, const struct trace_region *region, uint64_t nonce);

/* Is there a line? After serial_start(). */
static inline bool serial_is_there(const struct channel *channel)
{
	return channel->lines && channel->lines->nr_ports;
}

#endif
