/* SPDX-License-Identifier: MIT */
/*
 * A process that holds the connection to a GDB stub, and outlives the one that reads through it: a
 * machine whose debugger goes without a word stays where it was stopped (QEMU does that). When its
 * reader is gone, however that ended, it stores what was published, lets the machine run and ends.
 *
 *	reader			supervisor			machine
 *	GDB_FETCH ────────────▶	stop, read ───────────────────▶	stands
 *	GDB_CLEAR, GDB_FETCH …	reads on, if not too long
 *	GDB_WAIT ─────────────▶ stores, breakpoint, go ────────▶ runs
 *	(sleeps)		until the breakpoint is hit, or it is time ◀──
 *
 * How long the machine may stand is a share of the time, the budget: after a stop it runs for as
 * long as the share asks for. A breakpoint is set only when the last look at the doorbells found
 * none, so that a machine which rings often is not stopped by each ring.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_SUPERVISOR_H
#define HOST_TOOLS_REGION_GDB_GDB_SUPERVISOR_H

#include <limits.h>
#include <sys/types.h>

#include "host-tools/region/gdb/gdb_find.h"
#include "writer/region/channel.h"

#define GDB_PIECES 256U       /* of a fetch */
#define GDB_BYTES  (1U << 20) /* the same */
#define GDB_STOPS  4096U      /* that are kept for the reader: more than in 20 s */

struct gdb_target {
	char host[256], port[32]; /* no port: host is a Unix socket's path */
	struct gdb_places places;
	double budget; /* 0 to 1: of the time that the machine may stand */
	int timeout_ms;
};

enum gdb_request {
	GDB_OPEN = 'o',
	GDB_FETCH = 'f',
	GDB_CLEAR = 'c',
	GDB_WAIT = 'w',
	GDB_FORCE = 's',
};

/* Memory of both; each side's while it has the turn, but for words that are marked ATOMIC. */
struct gdb_common {
	struct gdb_target target;
	int code; /* of the last request; once it is negative it stays so, and error says why */
	struct error error;
	uint64_t address, size; /* of the region */
	struct {
		uint64_t offset;
		uint32_t size;
	} pieces[GDB_PIECES];
	uint32_t piece_count;
	uint32_t done; /* bytes of all pieces, one behind the other, that are there */
	struct channel_bell bells[TR_MAX_RINGS];
	uint32_t bell_count;
	uint64_t own, own_size;   /* of GDB_FORCE: the firmware's code */
	int force_code;           /* and what came of it; the connection is good all the same */
	struct error force_error; /* why, if it is negative */
	uint64_t stored;          /* ATOMIC: messages that have arrived in the machine */
	uint64_t moment;          /* ATOMIC: changes when the machine runs */
	uint32_t hold;            /* ATOMIC: it is to stand until this is 0 again */
	uint32_t hurry;           /* ATOMIC: the reader is to end: the budget does not count */
	uint64_t stops;           /* ATOMIC: how often it stood; the newest of them: */
	struct channel_stop stop[GDB_STOPS];
	uint8_t data[GDB_BYTES];
};

/* A word to store, one message each. */
struct gdb_store {
	uint64_t offset;
	uint32_t size;
	uint8_t bytes[TR_MAILBOX_TEXT + 8];
};

struct gdb_supervisor {
	struct gdb_common *common;
	int requests, stores; /* sockets */
	pid_t pid;
	bool is_left; /* a signal ended a request: the rest is the process's own, and it ends alone
	               */
};

/* Start one, have it connect and find the region: common->address and size. */
int gdb_supervisor_start(struct gdb_supervisor *supervisor, const struct gdb_target *target,
                         struct error *error);

/* One request, and its answer. One thread. -EINTR: a signal that is blocked and pending
 * (signals_check()) is to end us, and the stub has not answered for a second since: no request is
 * carried out any more. */
int gdb_supervisor_ask(struct gdb_supervisor *supervisor, enum gdb_request request,
                       struct error *error);

/* Have something stored; any thread. */
int gdb_supervisor_store(struct gdb_supervisor *supervisor, uint64_t offset, const void *from,
                         size_t size, struct error *error);

/* Have it end, and wait until all is stored; behind an -EINTR it ends without us, within about the
 * time-out. */
void gdb_supervisor_stop(struct gdb_supervisor *supervisor);

/* The process itself: serves until the reader has closed requests. Tests call it as they like. */
void gdb_supervise(struct gdb_common *common, int requests, int stores);

#endif
