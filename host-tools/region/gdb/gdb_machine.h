/* SPDX-License-Identifier: MIT */
/* The supervisor's view of the machine: when it stands, for how long it may, and what is stored
 * while it does. */
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
	uint64_t beat_time;              /* of the machine, in this stop */
	bool no_breakpoints, breakpoint_set;
	bool at_breakpoint; /* it stopped by itself */
	uint64_t breakpoint;

	struct gdb_store queue[MOST_STORES];
	uint64_t numbers[MOST_STORES]; /* of the messages, from 1 */
	size_t queued;
	uint64_t received;
	int64_t queued_at; /* ns, of the oldest */
};

/* CLOCK_MONOTONIC. */
int64_t gdb_now_ns(void);

/* A connection to the stub: a socket. */
int gdb_connect(const struct gdb_target *target, struct error *error);

/* It stands from now on: since we connected; or by itself, at the breakpoint. */
void gdb_machine_stopped(struct gdb_machine *machine, bool at_breakpoint);

/* Make it stand; let it run, with the breakpoint if we listen for it and it does not stand there
 * now, which it would not get past. Either is fine if it is so. */
int gdb_machine_stand(struct gdb_machine *machine, struct error *error);
int gdb_machine_run(struct gdb_machine *machine, bool listen, struct error *error);
int gdb_machine_remove_breakpoint(struct gdb_machine *machine, struct error *error);

/* Take what was sent to be stored, as far as it has come. */
int gdb_machine_take_stores(struct gdb_machine *machine, int socket, struct error *error);

/* Have it end its recording by the boot CPU's registers, of which none is another one afterwards:
 * common->own, own_size, force_code and force_error. Negative: the connection is of no use. It is
 * left standing. */
int gdb_force_stop(struct gdb_machine *machine, struct error *error);

/* Store it in a machine that stands. */
int gdb_machine_store(struct gdb_machine *machine, struct error *error);

#endif
