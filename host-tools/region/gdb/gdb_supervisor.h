/* SPDX-License-Identifier: MIT */
/*
 * A process that holds the connection to a GDB stub and outlives its reader. It is needed because
 * QEMU leaves a machine stopped if its debugger disappears without a detach. When the reader ends
 * for any reason, the supervisor makes the queued stores, resumes the machine and ends.
 *
 *	reader			supervisor			machine
 *	GDB_FETCH ────────────▶	stop, read ───────────────────▶	is stopped
 *	GDB_CLEAR, GDB_FETCH …	continues to read, for a limited time
 *	GDB_WAIT ─────────────▶ stores, breakpoint, resume ────▶ runs
 *	(sleeps)		until the breakpoint is hit, or a look is due ◀──
 *
 * The budget is the largest share of the time in which the machine may be stopped: after each stop
 * the machine runs long enough to keep the share. The supervisor sets the breakpoint only if the
 * last check of the doorbells found no pending wakeup, so that a machine that often rings is not
 * stopped at each ring.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_SUPERVISOR_H
#define HOST_TOOLS_REGION_GDB_GDB_SUPERVISOR_H

#include <limits.h>
#include <sys/types.h>

#include "host-tools/region/gdb/gdb_find.h"
#include "writer/region/channel.h"

#define GDB_PIECES 256U       /* pieces in one fetch */
#define GDB_BYTES  (1U << 20) /* bytes in one fetch */
#define GDB_STOPS  4096U      /* stop times that are kept for the reader: more than in 20 s */

struct gdb_target {
	char host[256], port[32]; /* port "": host is the path of a Unix socket */
	struct gdb_places places;
	double budget; /* 0 to 1: the largest share of the time in which the machine is stopped */
	int timeout_ms;
};

enum gdb_request {
	GDB_OPEN = 'o',
	GDB_FETCH = 'f',
	GDB_CLEAR = 'c',
	GDB_WAIT = 'w',
	GDB_FORCE = 's',
};

/* Memory that reader and supervisor share. Requests alternate: each side uses the words during its
 * turn. Words marked ATOMIC have no turns. */
struct gdb_common {
	struct gdb_target target;
	/* the last request's result; a negative result is final, and error has the reason */
	int code;
	struct error error;
	uint64_t address, size; /* the region's place */
	struct {
		uint64_t offset;
		uint32_t size;
	} pieces[GDB_PIECES];
	uint32_t piece_count;
	uint32_t done; /* bytes that have arrived, of all pieces in their order */
	struct channel_bell bells[TR_MAX_RINGS];
	uint32_t bell_count;
	uint64_t own, own_size;   /* GDB_FORCE: the place of the firmware's code */
	int force_code;           /* GDB_FORCE's result; the connection stays usable */
	struct error force_error; /* the reason, if force_code is negative */
	uint64_t stored;          /* ATOMIC: number of messages that are stored in the machine */
	uint64_t moment;          /* ATOMIC: changes whenever the machine runs */
	uint32_t hold;            /* ATOMIC: while not 0, the machine must stay stopped */
	uint32_t hurry;           /* ATOMIC: the reader must end, so the budget is ignored */
	uint64_t stops;           /* ATOMIC: number of stops; the newest of them follow */
	struct channel_stop stop[GDB_STOPS];
	uint8_t data[GDB_BYTES];
};

/* A word to store. One message carries one word. */
struct gdb_store {
	uint64_t offset;
	uint32_t size;
	uint8_t bytes[TR_MAILBOX_TEXT + 8];
};

struct gdb_supervisor {
	struct gdb_common *common;
	int requests, stores; /* sockets */
	pid_t pid;
	bool is_left; /* a signal interrupted a request: the supervisor finishes alone */
};

/* Starts a supervisor, which connects and finds the region: common->address and size are set. */
int gdb_supervisor_start(struct gdb_supervisor *supervisor, const struct gdb_target *target,
                         struct error *error);

/* Sends one request and waits for its answer. One thread. -EINTR: a blocked signal is pending
 * (signals_check()), and the stub has not answered for a second since; the supervisor accepts no
 * further request. */
int gdb_supervisor_ask(struct gdb_supervisor *supervisor, enum gdb_request request,
                       struct error *error);

/* Queues a store. Any thread. */
int gdb_supervisor_store(struct gdb_supervisor *supervisor, uint64_t offset, const void *from,
                         size_t size, struct error *error);

/* Ends the supervisor and waits until all stores are made. After an -EINTR, does not wait: the
 * supervisor ends alone, within about the time-out. */
void gdb_supervisor_stop(struct gdb_supervisor *supervisor);

/* The supervisor's main function: serves until the reader has closed requests. Tests call it
 * directly. */
void gdb_supervise(struct gdb_common *common, int requests, int stores);

#endif
