/* SPDX-License-Identifier: MIT */
/* One line on a terminal that says how it goes; nothing where there is no terminal. */
#ifndef HOST_TOOLS_SESSION_PROGRESS_H
#define HOST_TOOLS_SESSION_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/session/pace.h"
#include "writer/session/session.h"

struct progress {
	bool shown;       /* standard error is a terminal */
	bool dirty;       /* there is a line to clear */
	double started;   /* s, monotonic */
	double next;      /* when to write it anew */
	double last;      /* when the records below were counted */
	uint64_t records; /* at the last line */
	struct pace pace; /* of the session's channel */
	bool disk_told;   /* that it is too small for what comes */
};

void progress_start(struct progress *progress);

/* Before the machine says anything. */
void progress_wait(struct progress *progress, const char *what);

/* While records come in: how many, how fast, what is lost by the ledger that the machine published
 * last, and how long the channel takes for what is there. Says, once and on any standard error,
 * when that is more than the file's disk has room for. Call it at each drain. */
void progress_show(struct progress *progress, struct session *session);

/* session_drain(), the end of its round and progress_show(). Records that the file could not take
 * are an error too. */
int progress_drain(struct progress *progress, struct session *session, uint64_t *got,
                   struct error *error);

/* Clear the line, so that something else can be printed. */
void progress_clear(struct progress *progress);

/* In the end: which options would have kept what a slow channel made it lose, if any was. */
void progress_tell_what_fits(const struct progress *progress, const struct session *session);

/* Monotonic seconds. */
double progress_now(void);

#endif
