/* SPDX-License-Identifier: MIT */
/*
 * A machine that we did not start, at the other end of a channel: its region, whether it lives, and
 * signals. Everything here returns within --timeout of its last sign of life.
 */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_LINK_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/record/remote/remote_options.h"
#include "host-tools/region/region_lease.h"
#include "writer/region/channel.h"
#include "writer/region/region.h"

struct remote_link {
	struct channel channel;
	struct region region;
	struct region_lease lease;
	double timeout; /* s */
	uint64_t beat;  /* the heartbeat as it was last, */
	double alive;   /* and when it changed, or when else it was known to live; s */
	bool has_beaten;
	bool needs_no_life; /* a machine that hangs will do */
	uint64_t console;   /* how much of it was there when we came, or was printed */
	int signals;        /* signalfd; -1: none */
	int signal;         /* that wants us to end; 0: none came */
	bool snapshot_wanted;
};

/* Open the channel and wait for a region whose machine lives. 0, or a negative errno and the
 * reason, -ENODEV: it is memory in a file; remote_link_close() in any case. */
int remote_link_open(struct remote_link *link, const struct remote_options *options,
                     struct error *error);

/*
 * Have the channel bring what there is, and see whether the machine is still the same and lives. 0;
 * -ESTALE: it was reset, or its region is gone; -EFAULT: it panicked; -ETIMEDOUT: no sign of life;
 * -EINTR: link->signal.
 */
int remote_link_look(struct remote_link *link, struct error *error);

/* The second half of it, for who has had the channel bring it. */
int remote_link_check(struct remote_link *link, struct error *error);

/* It has just done something. */
void remote_link_is_alive(struct remote_link *link);

/* Take the rings, or be told who has them. */
int remote_link_acquire(struct remote_link *link, struct error *error);

/* Sleep until there may be something new, or until a signal. */
void remote_link_wait(struct remote_link *link);

/* What the machine has printed since this was called last, or since we came. */
void remote_link_print_console(struct remote_link *link, FILE *out);

void remote_link_close(struct remote_link *link);

#endif
