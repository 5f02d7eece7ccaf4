/* SPDX-License-Identifier: MIT */
/* A run on a machine that we did not start, between `record', `stat' and `attach'. Thread: the one
 * that opened it. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_RECORDING_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_RECORDING_H

#include "host-tools/record/drive.h"
#include "host-tools/record/remote/remote_link.h"

struct remote_recording {
	struct drive drive;
	struct remote_options options;
	struct remote_link link;
	uint64_t before;  /* runs of the machine before ours */
	uint32_t request; /* its number; 0: none was sent */
	int status;       /* the machine's answer to it */
	double stopped;   /* when we asked it to stop, s; 0: not yet */
	bool attached;    /* somebody else started the run; it continues when we leave */
	bool refused;     /* nothing ran */
};

/* Take the command line apart; it does not return for a wrong one. */
void remote_recording_open(struct remote_recording *r, const struct remote_usage *usage, int argc,
                           char **argv);

/* What a session of it wants. */
struct session_options remote_recording_options(struct remote_recording *r);

/* Begin to record, if there is something to record and that was not done before. */
int remote_recording_begin(struct remote_recording *r, struct error *error);

/* Send the command that the machine is to carry out. */
int remote_recording_send(struct remote_recording *r, struct error *error);

/* From an open channel to a finished file; begin_with: what makes the machine record, or finds that
 * it does. The exit status. */
int remote_recording_carry_out(struct remote_recording *r,
                               int (*begin_with)(struct remote_recording *r, struct error *error));

#endif
