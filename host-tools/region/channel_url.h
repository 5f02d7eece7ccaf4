/* SPDX-License-Identifier: MIT */
/*
 * Channels to machines that we did not start, by URL: SCHEME:REST. The table of schemes is in
 * channel_url.c, one line each; `--channel help` prints it.
 */
#ifndef HOST_TOOLS_REGION_CHANNEL_URL_H
#define HOST_TOOLS_REGION_CHANNEL_URL_H

#include <stdio.h>

#include "writer/region/channel.h"

/* The command line's options beside the URL. All zero: the defaults. */
struct channel_url_options {
	double timeout;      /* s for the other end to answer; 0: the scheme's own */
	const char *address; /* --address: physical, of the region's header, in hex; NULL: look for
	                      * it */
	const char *stop_budget; /* --stop-budget: of the time that the machine may stand still */
};

/*
 * A scheme's function in the table. rest is the text after "SCHEME:", never empty. The channel's
 * other end is live, or its errors say what, where and what to try; it need not hold a region yet
 * (region_open() then says -EAGAIN).
 */
typedef int channel_url_open(struct channel *channel, const char *rest,
                             const struct channel_url_options *options, struct error *error);

/* Open the channel that a URL names. -EINVAL: no URL, or no such scheme; else the scheme's. */
int channel_open_url(struct channel *channel, const char *url,
                     const struct channel_url_options *options, struct error *error);

/* The forms of URLs and what they carry, a line each. */
void channel_url_help(FILE *out);

/* The schemes. Each in its channel_*.c. */
channel_url_open channel_open_shm;    /* a file, or the socket of an ivshmem server */
channel_url_open channel_open_serial; /* a tty */
channel_url_open channel_open_tcp;    /* a console server's port */
channel_url_open channel_open_unix;   /* a console server's socket */
channel_url_open channel_open_gdb;    /* a GDB stub's memory packets */
channel_url_open channel_open_image;  /* a file with a machine's memory */

#endif
