/* SPDX-License-Identifier: MIT */
/*
 * Bytes to and from a GDB stub. The stub may be anything that listens at a port: each wait has a
 * bound in time and a bound in bytes.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_BYTES_H
#define HOST_TOOLS_REGION_GDB_GDB_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "host-tools/region/gdb/gdb_remote.h"

/* How long one wait may last, and how much the stub may send meanwhile. */
struct gdb_wait {
	int64_t until; /* ms of gdb_now_ms() */
	size_t bytes;  /* that are still allowed */
	bool is_over;  /* the time is over, and the socket was read once since */
};

/* CLOCK_MONOTONIC, in ms. */
int64_t gdb_now_ms(void);

/* A wait that begins now. It ends after timeout_ms (0: with what has come already), and not later
 * than remote->last_ms. */
struct gdb_wait gdb_wait_for(const struct gdb_remote *remote, int timeout_ms);

/* Send size bytes within remote->timeout_ms. 0, or a negative errno and the reason; -ETIMEDOUT: the
 * stub does not read. */
int gdb_send(struct gdb_remote *remote, const char *bytes, size_t size, struct error *error);

/* The next event that is not GDB_NOTHING; GDB_NOTHING when the time is over; or a negative errno:
 * -EPROTO: the stub has sent all the bytes that the wait allows; -ECONNRESET: it has closed the
 * connection. what: what is waited for, for messages. */
int gdb_next_event(struct gdb_remote *remote, struct gdb_wait *wait, const char *what,
                   struct error *error);

#endif
