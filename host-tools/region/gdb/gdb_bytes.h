/* SPDX-License-Identifier: MIT */
/*
 * Sends bytes to a GDB stub and receives its bytes. Any program may listen at the port, so every
 * wait has a limit in time and a limit in bytes.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_BYTES_H
#define HOST_TOOLS_REGION_GDB_GDB_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "host-tools/region/gdb/gdb_remote.h"

/* One wait's limits: its end, and the number of bytes that the stub may send meanwhile. */
struct gdb_wait {
	int64_t until; /* ms of gdb_now_ms() */
	size_t bytes;  /* bytes that the stub may still send */
	bool is_over;  /* the time is over, and the socket was read once more afterwards */
};

/* CLOCK_MONOTONIC, in ms. */
int64_t gdb_now_ms(void);

/* Starts a wait. The wait ends after timeout_ms (0: handle only bytes that have already arrived),
 * and never later than remote->last_ms. */
struct gdb_wait gdb_wait_for(const struct gdb_remote *remote, int timeout_ms);

/* Sends size bytes within remote->timeout_ms. 0, or a negative errno and the reason. -ETIMEDOUT:
 * the stub does not read. */
int gdb_send(struct gdb_remote *remote, const char *bytes, size_t size, struct error *error);

/* Returns the next event other than GDB_NOTHING; GDB_NOTHING when the time is over; or a negative
 * errno. -EPROTO: the stub sent more bytes than the wait allows. -ECONNRESET: the stub closed the
 * connection. what: the awaited reply, for messages. */
int gdb_next_event(struct gdb_remote *remote, struct gdb_wait *wait, const char *what,
                   struct error *error);

#endif
