/* SPDX-License-Identifier: MIT */
/*
 * A live view of a session: shows where the samples were taken, while they arrive. The code that
 * drains the session also calls top_turn(). No function here waits, except top_browse(), which runs
 * after the session. Thread: the draining thread.
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
	/* end the view: 'q' was pressed, standard output was closed, or the view failed */
	TOP_QUIT,
};

/* Opens the terminal, or standard output. NULL: neither is available, and error gives the reason.
 * With a terminal, text for standard error is held back until top_restore(). */
struct top *top_open(const struct top_options *options, struct error *error);

/* The callback for session_options.see; its context is the top. */
void top_see(void *context, const struct perf_event_header *record, uint32_t event);

/* Shows this session, which has begun. 0 or -ENOMEM. */
int top_begin(struct top *top, struct session *session, struct error *error);

/* Redraws the view if it is due, and handles pressed keys. Before top_begin(): shows what the tool
 * is waiting for. */
enum top_wish top_turn(struct top *top, const char *waiting);

/* Shows the last block. Call when the recording is over and the session's ledgers are final. */
void top_end(struct top *top);

/* On a terminal, keeps the view until 'q' or a signal from signals (a signalfd). *signal is set to
 * that signal's number. */
void top_browse(struct top *top, int signals, int *signal);

/* Returns 0, or the error that stopped the view, with its text in error; 0 for NULL. After an
 * error, top_turn() has asked the caller to quit. */
int top_failure(const struct top *top, struct error *error);

/* Restores the terminal and prints the messages that were held back. */
void top_restore(struct top *top);

/* Calls top_restore() and frees the top. NULL is allowed. Call before session_end(). */
void top_close(struct top *top);

#endif
