/* SPDX-License-Identifier: MIT */
/* The machine's serial lines, between console, region and panics. */
#ifndef AGENT_SERIAL_H
#define AGENT_SERIAL_H

#include "channel/channel.h"
#include "ringbuf/region_writer.h"

/* Start the channel's lines, if it may have any: they take the console's UART, carry its text and a
 * panic's, and know where the region's HOST words are. Says what they reach. Once, after the clock;
 * thread. */
void serial_start(struct channel *channel, const struct trace_region *region, uint64_t nonce);

/* Is there a line? After serial_start(). */
static inline bool serial_is_there(const struct channel *channel)
{
	return channel->lines && channel->lines->nr_ports;
}

#endif
