/* SPDX-License-Identifier: MIT */
/*
 * A client of a GDB stub. It stops a machine, reads and writes the machine's memory, and resumes
 * the machine (GDB manual, appendix E). Each request has one reply, with limits in time and in
 * bytes. With each negative errno comes one line that names the request and the reply.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_REMOTE_H
#define HOST_TOOLS_REGION_GDB_GDB_REMOTE_H

#include <stdbool.h>

#include "host-tools/region/gdb/gdb_packet.h"
#include "writer/util/error.h"

struct gdb_remote {
	int fd;
	/* a socket whose other end closes when the stub is no longer needed; -1: none */
	int client;
	int timeout_ms;  /* time limit of each answer */
	int64_t last_ms; /* all waits end by then (gdb_now_ms()); 0: no such limit */
	bool runs;       /* the machine runs; the only reply that may come is a stop reply */
	bool no_ack;
	bool binary;        /* the stub offers `x` packets (binary-upload+) */
	bool physical;      /* memory packets take physical addresses (QEMU) */
	size_t packet_size; /* the stub's limit */
	struct gdb_packet packet;
	uint8_t in[65536];
	size_t in_at, in_size;
};

/* Takes over fd, a connected socket. Detects the stub's features and checks that the machine is
 * stopped. client: when its other end closes, all further work takes at most five seconds; -1:
 * nothing to watch. */
int gdb_remote_begin(struct gdb_remote *remote, int fd, int client, int timeout_ms,
                     struct error *error);

/* Sends a request's body of at most GDB_REQUEST_MAX bytes and waits for the answer, which is left
 * in packet. The second function expects the answer OK. what: the request's name, for messages. */
#define GDB_REQUEST_MAX 4096U
int gdb_remote_ask(struct gdb_remote *remote, const char *body, const char *what,
                   struct error *error);
int gdb_remote_ask_for_ok(struct gdb_remote *remote, const char *body, const char *what,
                          struct error *error);

/* Converts a failed answer to an error. -EFAULT: an error number. -ENOTSUP: an empty answer.
 * -EPROTO: any other. */
int gdb_remote_refused(const struct gdb_remote *remote, const char *what, struct error *error);

/* Reads or writes memory of a stopped machine. -EFAULT: the stub reports an error. */
int gdb_remote_read(struct gdb_remote *remote, uint64_t address, void *to, size_t size,
                    struct error *error);
int gdb_remote_write(struct gdb_remote *remote, uint64_t address, const void *from, size_t size,
                     struct error *error);

/* Resumes or stops the machine. Both accept a machine that is already in the wanted state. */
int gdb_remote_run(struct gdb_remote *remote, struct error *error);
int gdb_remote_stop(struct gdb_remote *remote, struct error *error);

/* Call when bytes have arrived. 1: the machine has stopped by itself; 0: it has not. */
int gdb_remote_heard(struct gdb_remote *remote, struct error *error);

/* Sets or removes a hardware breakpoint. kind: see the manual's appendix E for each architecture.
 * -ENOTSUP: the stub has no hardware breakpoints. */
int gdb_remote_break(struct gdb_remote *remote, bool insert, uint64_t address, unsigned kind,
                     struct error *error);

/* Stops the machine if it runs, then detaches: the machine runs without breakpoints. Closes fd in
 * every case. */
void gdb_remote_end(struct gdb_remote *remote);

#endif
