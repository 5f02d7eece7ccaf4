/* SPDX-License-Identifier: MIT */
/*
 * Bytes to a machine and back: a tty, or a socket of a console server. It may go away (a cable is
 * pulled, a server is restarted) and come back, by connecting again. One thread.
 */
#ifndef HOST_TOOLS_REGION_SERIAL_SERIAL_LINK_H
#define HOST_TOOLS_REGION_SERIAL_SERIAL_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "writer/util/error.h"

#define SERIAL_BAUD_MAX 4000000U
#define SERIAL_BAUD     115200U /* where nothing is said */

enum serial_kind {
	SERIAL_TTY,  /* DEVICE[,BAUD][,rtscts][,fast=BAUD] */
	SERIAL_TCP,  /* HOST:PORT, [HOST]:PORT */
	SERIAL_UNIX, /* PATH */
};

struct serial_link {
	enum serial_kind kind;
	char *where;   /* device, host or path */
	char *port;    /* SERIAL_TCP */
	uint32_t baud; /* SERIAL_TTY: at which a line begins; else 0 */
	uint32_t fast; /* SERIAL_TTY: to be asked for, once it works; 0: none */
	bool rtscts;
	int fd; /* non-blocking; -1: not connected */
};

/* Read `rest` of a URL, without connecting. -EINVAL. */
int serial_link_init(struct serial_link *link, enum serial_kind kind, const char *rest,
                     struct error *error);

/* Connect, within some 5 s, or say why not. A tty is raw, eight bits, no parity, at `baud`, and
 * nobody else's. */
int serial_link_connect(struct serial_link *link, struct error *error);
void serial_link_disconnect(struct serial_link *link);

/* Bytes that came, at most size; 0: none now; negative errno: it is gone. */
ssize_t serial_link_read(struct serial_link *link, void *to, size_t size);
/* Bytes that were taken; the same. */
ssize_t serial_link_write(struct serial_link *link, const void *from, size_t size);

/* Of a tty: have another rate, once what was written has gone out. */
int serial_link_set_baud(struct serial_link *link, uint32_t baud);

void serial_link_free(struct serial_link *link);

#endif
