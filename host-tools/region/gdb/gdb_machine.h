/* SPDX-License-Identifier: MIT */
/* The supervisor's state of the machine: whether it is stopped, how long it may stay stopped, and
 * the stores that the supervisor makes during a stop. */
#ifndef HOST_TOOLS_REGION_GDB_GDB_MACHINE_H
#define HOST_TOOLS_REGION_GDB_GDB_MACHINE_H

#include "host-tools/region/gdb/gdb_supervisor.h"

#define NS_MS       1000000LL
#define MOST_STORES 64U

struct gdb_machine {
	struct gdb_common *common;
	struct gdb_remote remote;
	uint32_t elf; /* ELF's e_machine */

	int64_t stopped_at, may_stop_at; /* ns */
	uint64_t beat_time;              /* the machine's heartbeat time in this stop */
	bool no_breakpoints, breakpoint_set;
	bool at_breakpoint; /* the machine stopped by itself */
	uint64_t breakpoint;

	struct gdb_store queue[MOST_STORES];
	uint64_t numbers[MOST_STORES]; /* the numbers of the store messages, from 1 */
	size_t queued;
	uint64_t received;
	int64_t queued_at; /* ns: when the oldest message was queued */
};

/* CLOCK_MONOTONIC. */
int64_t gdb_now_ns(void);

/* Connects to the stub. Returns a socket. */
int gdb_connect(const struct gdb_target *target, struct error *error);

/* Records that the machine is stopped from now on: after connecting, or after the machine stopped
 * by itself at the breakpoint. */
void gdb_machine_stopped(struct gdb_machine *machine, bool at_breakpoint);

/* Stops the machine, or resumes it. Resuming sets the breakpoint if the supervisor waits for
 * doorbells, except when the machine is stopped at the breakpoint's address, because it could not
 * pass the breakpoint. Both functions accept a machine that is already in the wanted state. */
int gdb_machine_stop(struct gdb_machine *machine, struct error *error);
int gdb_machine_run(struct gdb_machine *machine, bool listen, struct error *error);
int gdb_machine_remove_breakpoint(struct gdb_machine *machine, struct error *error);

/* Receives the store messages that have arrived so far. */
int gdb_machine_take_stores(struct gdb_machine *machine, int socket, struct error *error);

/* Makes the machine end its recording: changes the boot CPU's registers, then restores all of them.
 * Uses common->own, own_size, force_code and force_error. Negative: the connection is unusable. The
 * machine stays stopped. */
int gdb_force_stop(struct gdb_machine *machine, struct error *error);

/* Writes the queued stores to the memory of a stopped machine. */
int gdb_machine_store(struct gdb_machine *machine, struct error *error);

#endif
