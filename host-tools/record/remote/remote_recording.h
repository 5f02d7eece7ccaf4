/* SPDX-License-Identifier: MIT */
/* A run on a machine that is already running, shared by `record', `stat' and `attach'. Thread: the
 * one that opened it. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_RECORDING_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_RECORDING_H

#include "host-tools/record/drive.h"
#include "host-tools/record/remote/remote_link.h"

struct remote_recording {
	struct drive drive;
	struct remote_options options;
	struct remote_link link;
	uint64_t before;  /* the machine's run number before this run */
	uint32_t request; /* the request's number; 0: none was sent */
	int status;       /* the machine's answer to it */
	double stopped;   /* when it was asked to stop, s; 0: not yet */
	bool attached;    /* somebody else started the run; it continues without this process */
	bool refused;     /* nothing ran */
};

/* Parse the command line; does not return for a wrong one. */
void remote_recording_open(struct remote_recording *r, const struct remote_usage *usage, int argc,
                           char **argv);

/* Fill in the session's settings. */
struct session_options remote_recording_options(struct remote_recording *r);

/* Begin a session, if there is something to record and none was begun. */
int remote_recording_begin(struct remote_recording *r, struct error *error);

/* Send the machine its command. */
int remote_recording_send(struct remote_recording *r, struct error *error);

/* From an open channel to a finished file. begin_with: makes the machine record, or finds that it
 * already does. Returns the exit status. */
int remote_recording_carry_out(struct remote_recording *r,
                               int (*begin_with)(struct remote_recording *r, struct error *error));

#endif
