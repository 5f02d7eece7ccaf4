/* SPDX-License-Identifier: MIT */
/* The progress line on a terminal; without a terminal nothing is printed. */
#ifndef HOST_TOOLS_SESSION_PROGRESS_H
#define HOST_TOOLS_SESSION_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/session/pace.h"
#include "writer/session/session.h"

struct progress {
	bool shown;         /* standard error is a terminal */
	bool dirty;         /* there is a line to clear */
	double started;     /* s, monotonic */
	double next;        /* when to write the line again */
	double last;        /* when the records below were counted */
	uint64_t records;   /* at the last line */
	struct pace pace;   /* of the session's channel */
	bool disk_reported; /* the warning about the disk's free space was printed */
};

void progress_start(struct progress *progress);

/* Called while the machine has not reported yet. */
void progress_wait(struct progress *progress, const char *what);

/* While records arrive: their number and rate, the losses by the machine's last ledger, and the
 * time that the channel needs for its backlog. Warns once, on any standard error, if the file's
 * disk has no room for the backlog. Call it at each drain. */
void progress_show(struct progress *progress, struct session *session);

/* session_drain(), the end of its round and progress_show(). Records that the file could not take
 * are an error too. */
int progress_drain(struct progress *progress, struct session *session, uint64_t *got,
                   struct error *error);

/* Clear the line, so that something else can be printed. */
void progress_clear(struct progress *progress);

/* At the end: print the options with which a slow channel would have lost no records, if it did. */
void progress_tell_what_fits(const struct progress *progress, const struct session *session);

/* Monotonic seconds. */
double progress_now(void);

#endif
