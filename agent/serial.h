/* SPDX-License-Identifier: MIT */
/* The machine's serial lines: they carry the console's text, the region and a panic's message. */
#ifndef AGENT_SERIAL_H
#define AGENT_SERIAL_H

#include "channel/channel.h"
#include "ringbuf/region_writer.h"

/* Decide whether there may be lines. In resident mode there are none, because the firmware's
 * console may use any of them. In hosted mode serial_start() can ask the firmware. Thread. */
void serial_choose(struct channel *channel, bool resident, bool hosted);

/* End of hosted mode: stop using the lines and give their cards back to the firmware. Before
 * hosted_end(), because one of our CPUs may be pumping the lines. Thread. */
void serial_end(struct channel *channel);

/* Wait until the lines have sent their text. channel may be NULL. Thread. */
void serial_drain(struct channel *channel);

/* Start the channel's lines, if it may have any. They take the console's UART, send its text and a
 * panic's message, and let the host write its words in the region. In hosted mode the firmware
 * keeps that UART; lines are then the cards that the firmware does not use, until serial_end().
 * Prints each line's properties. Call it once, after the clock. Thread. */
void serial_start(struct channel *channel, const struct trace_region *region, uint64_t nonce);

/* Returns whether there is a line. After serial_start(). */
static inline bool serial_is_there(const struct channel *channel)
{
	return channel->lines && channel->lines->nr_ports;
}

#endif
