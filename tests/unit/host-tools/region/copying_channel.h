/* SPDX-License-Identifier: MIT */
/*
 * A mirror (host-tools/region/serial/mirror.h) over a cable that is made of another channel: it
 * brings some bytes a call, pieces in any order, whole words of 8 bytes only; what is stored stays
 * with it for a while. The machine continues between any two words. A random generator chooses the
 * bytes and their number.
 */
#ifndef TESTS_UNIT_COPYING_CHANNEL_H
#define TESTS_UNIT_COPYING_CHANNEL_H

#include "writer/region/channel.h"

/* Faults of a channel that tests must detect. */
enum copying_fault {
	COPYING_RIGHT,
	COPYING_HEADS_LAST,    /* heads are fetched behind the bytes that they promise */
	COPYING_NO_LOOK_AGAIN, /* a doorbell is cleared behind the look, not before it */
	COPYING_CLEARS_LATE,   /* its 0 is stored like any other word: some time later */
};

struct copying_options {
	size_t piece; /* bytes at a time, at most */
	enum copying_fault fault;
	void (*meanwhile)(void *context); /* the machine's work between two pieces; NULL: none */
	void *context;
	bool *stands_still; /* NULL: it never does; else whether it does, now and then */
	unsigned breaks;    /* the cable, at so manieth a call of fetch; 0: it does not */
};

/* Put one over an open channel, which it owns from here on. -ENOMEM leaves that as it is. */
int copying_channel_wrap(struct channel *channel, const struct copying_options *options,
                         struct error *error);

/* All that was published to the last that was put arrives. */
void copying_channel_deliver(void);

#endif
