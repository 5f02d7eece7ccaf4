/* SPDX-License-Identifier: MIT */
/*
 * A machine that is already running, at the other end of a channel: its region, its signs of life,
 * and signals. Every function here returns within --timeout of the machine's last sign of life, or
 * at the end of the look that is under way then: a slow channel or host makes a look last longer.
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
	uint64_t beat;  /* the last heartbeat, */
	double alive;   /* and when it changed, or the machine was last known to live; s */
	bool has_beaten;
	bool is_looking;    /* a look is under way, and has shown no heartbeat yet */
	bool needs_no_life; /* a machine that hangs is accepted */
	uint64_t console;   /* bytes of the console that were there at the start, or were printed */
	int signals;        /* signalfd; -1: none */
	int signal;         /* the signal that ends the command; 0: none came */
	bool snapshot_wanted;
};

/* Open the channel and wait for a region whose machine lives. 0, or a negative errno and the
 * reason, -ENODEV: it is memory in a file. Call remote_link_close() in any case. */
int remote_link_open(struct remote_link *link, const struct remote_options *options,
                     struct error *error);

/*
 * Have the channel fetch what is there, and check that the machine is still the same and lives. 0;
 * -ESTALE: it was reset, or its region is gone; -EFAULT: it panicked; -ETIMEDOUT: no sign of life;
 * -EINTR: link->signal.
 */
int remote_link_look(struct remote_link *link, struct error *error);

/* The first half of remote_link_look(), with channel_refresh()'s result. */
int remote_link_refresh(struct remote_link *link, struct error *error);

/* The second half, for a caller whose channel was refreshed. While a look is under way, no machine
 * counts as silent. */
int remote_link_check(struct remote_link *link, struct error *error);

/* The machine has just shown that it lives. */
void remote_link_is_alive(struct remote_link *link);

/* Take the rings, or report their reader in the error. */
int remote_link_acquire(struct remote_link *link, struct error *error);

/* Sleep until there may be news, or until a signal. */
void remote_link_wait(struct remote_link *link);

/* The text that the machine has printed since the last call, or since the start. */
void remote_link_print_console(struct remote_link *link, FILE *out);

void remote_link_close(struct remote_link *link);

#endif
