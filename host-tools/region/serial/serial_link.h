/* SPDX-License-Identifier: MIT */
/*
 * Carries bytes to a machine and back: through a tty, or through a socket of a console server. The
 * connection may fail (a cable is unplugged, a server restarts); connecting again restores it. One
 * thread.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_SERIAL_LINK_H
#define HOST_TOOLS_REGION_SERIAL_SERIAL_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/util/error.h"

#define SERIAL_BAUD_MAX 4000000U
#define SERIAL_BAUD     115200U /* the rate if the URL gives none */

enum serial_kind {
	SERIAL_TTY,  /* DEVICE[,BAUD][,rtscts][,fast=BAUD] */
	SERIAL_TCP,  /* HOST:PORT, [HOST]:PORT */
	SERIAL_UNIX, /* PATH */
};

struct serial_link {
	enum serial_kind kind;
	char *where;   /* device, host or path */
	char *port;    /* SERIAL_TCP */
	uint32_t baud; /* SERIAL_TTY: the initial rate; else 0 */
	uint32_t fast; /* SERIAL_TTY: the rate to negotiate once the line works; 0: none */
	bool rtscts;
	int fd; /* non-blocking; -1: not connected */
};

/* Parses `rest` of a URL without connecting. -EINVAL. */
int serial_link_init(struct serial_link *link, enum serial_kind kind, const char *rest,
                     struct error *error);

/* Connects within about 5 s, or returns an error with the reason. A tty is set to raw mode, eight
 * bits, no parity and `baud`, and is opened exclusively. */
int serial_link_connect(struct serial_link *link, struct error *error);
void serial_link_disconnect(struct serial_link *link);

/* Reads at most size bytes. 0: none have arrived. Negative errno: the connection has failed. */
ssize_t serial_link_read(struct serial_link *link, void *to, size_t size);
/* Returns the number of bytes written; the errors are the same. */
ssize_t serial_link_write(struct serial_link *link, const void *from, size_t size);

/* Only for a tty: changes the rate after all written bytes have been sent. */
int serial_link_set_baud(struct serial_link *link, uint32_t baud);

void serial_link_free(struct serial_link *link);

#endif
