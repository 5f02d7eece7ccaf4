/* SPDX-License-Identifier: MIT */
/*
 * The keys with which a user on a line ends a recording: q, Escape, Ctrl-C. Such a key counts only
 * if it comes alone. So neither a program that writes to the line (a tool's HELLO, a modem manager)
 * nor the escape sequence of an arrow key ends a recording by accident. Pure. Any context.
 */
#ifndef CHANNEL_STOP_KEY_H
#define CHANNEL_STOP_KEY_H

#include <stdbool.h>
#include <stdint.h>

/* required silence before and after the key; held keys repeat about each 30 ms */
#define STOP_KEY_ALONE_NS 10000000U

/* A line's last input. {.last = now}: none yet. */
struct stop_key {
	uint64_t last; /* ns: when the last byte arrived */
	bool held;     /* the byte was such a key, after enough silence */
};

/* Reports whether the character is one of the keys. */
bool stop_key_is(uint8_t key);

/* Records a byte that arrived at now, ns. */
void stop_key_feed(struct stop_key *key, uint8_t byte, uint64_t now);

/* Reports whether a key was pressed and enough silence followed. */
bool stop_key_is_pressed(const struct stop_key *key, uint64_t now);

#endif
