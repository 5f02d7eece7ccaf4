/* SPDX-License-Identifier: MIT */
/* A run on a machine that we did not start, between `record', `stat' and `attach'. Thread: the one
 * that opened it. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_RECORDING_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_RECORDING_H

#include "host-tools/record/command/guest_fetch.h"
#include "host-tools/record/command/guest_output.h"
#include "host-tools/record/remote/remote_link.h"
#include "host-tools/session/progress.h"
#include "host-tools/top/top.h"
#include "writer/session/session.h"

struct recording {
	struct remote_options options;
	struct remote_link link;
	struct session session;
	struct perf_writer output; /* opened, and not the session's yet */
	struct progress progress;
	struct guest_output printed; /* by the program */
	struct guest_fetch fetch;
	const char *const *command; /* our command line */
	int command_words;
	uint64_t before;  /* runs of the machine before ours */
	uint32_t request; /* its number; 0: none was sent */
	int status;       /* that it was answered with */
	struct top *top;  /* that shows it meanwhile; NULL: none does */
	bool quits;       /* its user wants no more of it */
	double stopped;   /* when we asked it to stop, s; 0: not yet */
	bool attached;    /* it is another's run, and goes on when we leave */
	bool has_session;
	bool is_over;
	bool refused; /* nothing ran */
};

/* Take the command line apart; it does not return for a wrong one. */
void recording_open(struct recording *r, const struct remote_usage *usage, int argc, char **argv);

/* What a session of it wants. */
struct session_options recording_options(struct recording *r);

/* Begin to record, if there is something to record and that was not done before. */
int recording_begin(struct recording *r, struct error *error);

/* Part of it: from here on what the program prints is shown, what it has written is taken, and what
 * is recorded is seen live, if it is to be. 0 or -ENOMEM. */
int recording_begin_output(struct recording *r, struct error *error);

/* Send the command that the machine is to carry out. */
int recording_send(struct recording *r, struct error *error);

/* From an open channel to a finished file; begin_with: what makes the machine record, or finds that
 * it does. The exit status. */
int recording_carry_out(struct recording *r,
                        int (*begin_with)(struct recording *r, struct error *error));

#endif
