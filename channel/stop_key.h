/* SPDX-License-Identifier: MIT */
/*
 * The keys by which somebody at a line ends a recording: q, Escape, Ctrl-C. One counts if it comes
 * alone, so that neither a program that talks on the line (a tool's HELLO, a modem manager) nor the
 * sequence of an arrow key ends what nobody wanted to end. Pure. Any context.
 */
#ifndef CHANNEL_STOP_KEY_H
#define CHANNEL_STOP_KEY_H

#include <stdbool.h>
#include <stdint.h>

#define STOP_KEY_ALONE_NS 10000000U /* before and behind it; keys repeat each 30 ms or so */

/* The last input of a line. {.last = now}: none yet. */
struct stop_key {
	uint64_t last; /* byte, ns */
	bool held;     /* it is such a key, and nothing came in front of it */
};

/* Is it one of them, as a character? */
bool stop_key_is(uint8_t key);

/* A byte came at this time, ns. */
void stop_key_feed(struct stop_key *key, uint8_t byte, uint64_t now);

/* Did one come, and nothing behind it? */
bool stop_key_is_pressed(const struct stop_key *key, uint64_t now);

#endif
