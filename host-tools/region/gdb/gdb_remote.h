/* SPDX-License-Identifier: MIT */
/*
 * A client of a GDB stub: what it takes to stop a machine, read and write its memory and let it
 * run (GDB manual, appendix E). One request, one reply, never without a bound in time and in bytes.
 * A negative errno leaves one line that says what was asked for, and what came.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_REMOTE_H
#define HOST_TOOLS_REGION_GDB_GDB_REMOTE_H

#include <stdbool.h>

#include "host-tools/region/gdb/gdb_packet.h"
#include "writer/util/error.h"

struct gdb_remote {
	int fd;
	int client;      /* a socket whose other end is closed when nobody needs the stub; or -1 */
	int timeout_ms;  /* of each answer */
	int64_t last_ms; /* no wait lasts longer than until then (gdb_now_ms()); 0: any may */
	bool runs;       /* and nothing but a stop is to be heard of it */
	bool no_ack;
	bool binary;        /* `x` packets are offered (binary-upload+) */
	bool physical;      /* memory packets take physical addresses (QEMU) */
	size_t packet_size; /* as the stub says */
	struct gdb_packet packet;
	uint8_t in[65536];
	size_t in_at, in_size;
};

/* Take over fd, a connected socket: find out what the stub can do, and that the machine stands.
 * client: when its other end is closed, all that follows takes five seconds at the most; -1: nobody
 * watches. */
int gdb_remote_begin(struct gdb_remote *remote, int fd, int client, int timeout_ms,
                     struct error *error);

/* Send a request's body, of at most GDB_REQUEST_MAX bytes, and wait for its answer, in packet; of
 * those that only say OK, for that. what: for messages. */
#define GDB_REQUEST_MAX 4096U
int gdb_remote_ask(struct gdb_remote *remote, const char *body, const char *what,
                   struct error *error);
int gdb_remote_ask_for_ok(struct gdb_remote *remote, const char *body, const char *what,
                          struct error *error);

/* That the answer is none: -EFAULT for an error's number, -ENOTSUP for an empty one, -EPROTO. */
int gdb_remote_refused(const struct gdb_remote *remote, const char *what, struct error *error);

/* Memory of a machine that stands. -EFAULT: the stub says that it cannot. */
int gdb_remote_read(struct gdb_remote *remote, uint64_t address, void *to, size_t size,
                    struct error *error);
int gdb_remote_write(struct gdb_remote *remote, uint64_t address, const void *from, size_t size,
                     struct error *error);

/* Let it run; stop it. Either is fine if it is so. */
int gdb_remote_run(struct gdb_remote *remote, struct error *error);
int gdb_remote_stop(struct gdb_remote *remote, struct error *error);

/* Bytes are there: has the machine stopped by itself? 1: yes; 0: no. */
int gdb_remote_heard(struct gdb_remote *remote, struct error *error);

/* A hardware breakpoint, kind as the manual's appendix E says for the architecture. -ENOTSUP: the
 * stub has none. */
int gdb_remote_break(struct gdb_remote *remote, bool insert, uint64_t address, unsigned kind,
                     struct error *error);

/* Stop it if it runs, then detach: it runs, breakpoints are gone. The fd is closed in any case. */
void gdb_remote_end(struct gdb_remote *remote);

#endif
