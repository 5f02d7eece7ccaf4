/* SPDX-License-Identifier: MIT */
/*
 * Opens channels, by URL (SCHEME:REST), to machines that this tool did not start. channel_url.c
 * holds the table of schemes; `--channel help` prints the table.
 */
#ifndef HOST_TOOLS_REGION_CHANNEL_URL_H
#define HOST_TOOLS_REGION_CHANNEL_URL_H

#include <stdio.h>

#include "writer/region/channel.h"

/* The command line's options beside the URL. All zero: the defaults. */
struct channel_url_options {
	double timeout; /* s to wait for the other end's answer; 0: the scheme's default */
	/* --address: the physical address of the region's header, in hex; NULL: search for it */
	const char *address;
	/* --stop-budget: the share of the time in which the machine may be stopped */
	const char *stop_budget;
};

/*
 * Opens the channel of one scheme. rest is the text after "SCHEME:" and is never empty. On success
 * the channel's other end answers; it need not hold a region yet (region_open() then returns
 * -EAGAIN). On failure the error names the actor, the place and a remedy.
 */
typedef int channel_url_open(struct channel *channel, const char *rest,
                             const struct channel_url_options *options, struct error *error);

/* Opens the channel that a URL names. -EINVAL: not a URL, or an unknown scheme; other errors are
 * the scheme's own. */
int channel_open_url(struct channel *channel, const char *url,
                     const struct channel_url_options *options, struct error *error);

/* Prints each scheme's URL form and meaning, one line per scheme. */
void channel_url_help(FILE *out);

/* The schemes. Each has its own channel_*.c. */
channel_url_open channel_open_shm;    /* a file, or the socket of an ivshmem server */
channel_url_open channel_open_serial; /* a tty */
channel_url_open channel_open_tcp;    /* a console server's port */
channel_url_open channel_open_unix;   /* a console server's socket */
channel_url_open channel_open_gdb;    /* a GDB stub's memory packets */
channel_url_open channel_open_image;  /* a file with a machine's memory */

#endif
