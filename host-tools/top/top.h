/* SPDX-License-Identifier: MIT */
/*
 * A live view of a session: where its samples are, while they come. The code that drains the
 * session also calls top_turn(). Nothing here waits, except top_browse(), which runs after the
 * session. Thread: the one that drains.
 */
#ifndef HOST_TOOLS_TOP_TOP_H
#define HOST_TOOLS_TOP_TOP_H

#include <stdbool.h>

#include "host-tools/top/top_options.h"
#include "writer/session/session.h"

struct top;

/* The user's request. */
enum top_wish {
	TOP_ON,
	TOP_QUIT, /* no more, as 'q' says, or as nobody reads standard output; or it failed */
};

/* Take the terminal, or standard output. NULL: there is none to be had, and error says why. From
 * here on what goes to standard error waits for top_restore(), if a terminal is taken. */
struct top *top_open(const struct top_options *options, struct error *error);

/* For session_options.see, with the top as its context. */
void top_see(void *context, const struct perf_event_header *record, uint32_t event);

/* It is this session, which has begun, that is shown. 0 or -ENOMEM. */
int top_begin(struct top *top, struct session *session, struct error *error);

/* Show it anew if it is time, and obey the keys that came. Before top_begin(): says what is waited
 * for. */
enum top_wish top_turn(struct top *top, const char *waiting);

/* The recording is over, and the session's last accounts are there: the last block. */
void top_end(struct top *top);

/* On a terminal, go on until 'q' or a signal of signals (a signalfd), whose number *signal
 * becomes. */
void top_browse(struct top *top, int signals, int *signal);

/* 0, or the error that stopped the view, with its text in error; of NULL 0. The caller has been
 * asked to quit. */
int top_failure(const struct top *top, struct error *error);

/* Give the terminal back as it was, and print what was said meanwhile. */
void top_restore(struct top *top);

/* top_restore(), and free it; NULL is none. Before session_end(). */
void top_close(struct top *top);

#endif
