/* SPDX-License-Identifier: MIT */
/*
 * A channel as a cable would be, over another one: its bytes are a mirror, which is filled a piece
 * at a time, some pieces a refresh, each word of 8 bytes in two halves; what is published stays
 * with it for a while. The machine goes on between any two pieces. Which and how much, chance says.
 */
#ifndef TESTS_UNIT_COPYING_CHANNEL_H
#define TESTS_UNIT_COPYING_CHANNEL_H

#include "host-tools/region/channel.h"

/* What a channel must not do: tests must see it. */
enum copying_fault {
	COPYING_RIGHT,
	COPYING_HEADS_LAST,    /* heads are fetched behind the bytes that they promise */
	COPYING_NO_LOOK_AGAIN, /* a doorbell is cleared behind the look, not before it */
	COPYING_CLEARS_LATE,   /* it is cleared in the mirror, and the 0 is published */
};

struct copying_options {
	size_t piece; /* bytes at a time, at most */
	enum copying_fault fault;
	void (*meanwhile)(
	    void *context); /* what the machine does between two pieces; NULL: nothing */
	void *context;
};

/* Put one over an open channel, which it owns from here on. -ENOMEM leaves that as it is. */
int copying_channel_wrap(struct channel *channel, const struct copying_options *options,
                         struct error *error);

/* All that was published arrives. */
void copying_channel_deliver(struct channel *channel);

#endif
