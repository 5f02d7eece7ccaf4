/* SPDX-License-Identifier: MIT */
/*
 * A mirror (host-tools/region/serial/mirror.h) over a cable that is made of another channel: each
 * call brings some bytes, pieces come in any order, only whole words of 8 bytes; stores are
 * delayed. The machine continues between any two words. A random generator chooses the bytes and
 * their number.
 */
#ifndef TESTS_UNIT_COPYING_CHANNEL_H
#define TESTS_UNIT_COPYING_CHANNEL_H

#include "writer/region/channel.h"

/* Faults of a channel that tests must detect. */
enum copying_fault {
	COPYING_RIGHT,
	COPYING_HEADS_LAST,    /* heads are fetched after the bytes that they announce */
	COPYING_NO_LOOK_AGAIN, /* a doorbell is cleared after the look, not before it */
	COPYING_CLEARS_LATE,   /* a cleared doorbell's 0 is stored late, like any other word */
};

struct copying_options {
	size_t piece; /* the most bytes at a time */
	enum copying_fault fault;
	void (*meanwhile)(void *context); /* the machine's work between two pieces; NULL: none */
	void *context;
	/* whether the machine is stopped now; NULL: the channel never stops it */
	bool *is_stopped;
	unsigned breaks; /* the cable breaks at this call of fetch; 0: never */
};

/* Wrap an open channel, which the wrapper owns from then on. -ENOMEM leaves it unchanged. */
int copying_channel_wrap(struct channel *channel, const struct copying_options *options,
                         struct error *error);

/* Deliver all published words of the channel that was wrapped last. */
void copying_channel_deliver(void);

#endif
