/* SPDX-License-Identifier: MIT */
/*
 * The process that reads a session's rings into its file. It sleeps in channel_wait(). It may be
 * killed at any time: the supervisor, which owns machine, doorbells, region and file, starts
 * another one, which continues after the dead reader's last commit (session_journal.c).
 */
#ifndef HOST_TOOLS_SESSION_READER_PROCESS_H
#define HOST_TOOLS_SESSION_READER_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "host-tools/session/progress.h"
#include "writer/session/session.h"

struct reader_process {
	pid_t pid;         /* 0: none */
	int pidfd;         /* -1: none */
	unsigned replaced; /* readers that died and were replaced */
	unsigned barren;   /* the last of these, which died before their first commit */
	uint64_t commits;  /* the journal's commits when this reader was started */
	bool has_given_up; /* a reader met an error, or too many died */
};

/* Start it, named "bareperf-reader", as a child that dies with us. From here on the session is
 * the reader's, until reader_process_stop(). A negative errno: fork() failed. */
int reader_process_start(struct reader_process *reader, struct session *session,
                         struct progress *progress, struct error *error);

/* Replace the reader if it was killed. False: it has given up; the caller has the session again, in
 * the state of the last commit. */
bool reader_process_continues(struct reader_process *reader, struct session *session,
                              struct progress *progress);

/* End the reader, if there is one; the caller has the session again. */
void reader_process_stop(struct reader_process *reader, struct session *session);

#endif
