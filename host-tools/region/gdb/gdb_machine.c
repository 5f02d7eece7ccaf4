/* SPDX-License-Identifier: MIT */
#include "host-tools/region/gdb/gdb_machine.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* limit of a stop's length that counts for the time until the next stop */
#define COUNT_NS (140 * NS_MS)
#define RUN_NS   (10 * NS_MS) /* the machine runs at least this long between two stops */

int64_t gdb_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * NS_MS + now.tv_nsec;
}

/* ---- Stopping and running ---- */

static void next_moment(struct gdb_machine *machine)
{
	struct gdb_common *common = machine->common;

	__atomic_store_n(&common->moment, common->moment + 1, __ATOMIC_RELEASE);
}

void gdb_machine_stopped(struct gdb_machine *machine, bool at_breakpoint)
{
	machine->at_breakpoint = at_breakpoint;
	machine->stopped_at = gdb_now_ns();
	next_moment(machine);
}

/* Records the length of the stop and computes when the machine may be stopped again. A stop that
 * was requested to last delays the next stop no more than an ordinary stop. */
static void note_running(struct gdb_machine *machine)
{
	struct gdb_common *common = machine->common;
	int64_t now = gdb_now_ns(), stopped = now - machine->stopped_at;
	int64_t counts = stopped < COUNT_NS ? stopped : COUNT_NS;

	int64_t pause = (int64_t)((double)counts * (1 / common->target.budget - 1));

	machine->may_stop_at = now + (pause > RUN_NS ? pause : RUN_NS);
	next_moment(machine);
	common->stop[common->stops % GDB_STOPS] =
	    (struct channel_stop){ .time = machine->beat_time,
		                   .at = (uint64_t)machine->stopped_at,
		                   .length = (uint64_t)stopped };
	__atomic_store_n(&common->stops, common->stops + 1, __ATOMIC_RELEASE);
}

int gdb_machine_stop(struct gdb_machine *machine, struct error *error)
{
	int code;

	if (!machine->remote.runs)
		return 0;
	code = gdb_remote_stop(&machine->remote, error);
	if (!code)
		gdb_machine_stopped(machine, false);
	return code;
}

int gdb_machine_remove_breakpoint(struct gdb_machine *machine, struct error *error)
{
	if (!machine->breakpoint_set)
		return 0;
	machine->breakpoint_set = false;
	return gdb_remote_break(&machine->remote, false, machine->breakpoint,
	                        machine->elf == EM_AARCH64 ? 4 : 1, error);
}

/* Sets the breakpoint at the code that the machine runs for each ring, at the address in the
 * header. If the stub has no breakpoints, or the header has no address, the supervisor polls
 * instead. */
static int set_breakpoint(struct gdb_machine *machine, struct error *error)
{
	struct error ignored = { "" };
	uint64_t at = 0;
	int code;

	if (machine->breakpoint_set || machine->no_breakpoints)
		return 0;
	code = gdb_remote_read(&machine->remote,
	                       machine->common->address + offsetof(struct tr_header, notify), &at,
	                       sizeof(at), error);
	if (code || !at)
		return code == -EFAULT ? 0 : code;
	machine->breakpoint = at;
	code = gdb_remote_break(&machine->remote, true, at, machine->elf == EM_AARCH64 ? 4 : 1,
	                        &ignored);
	machine->breakpoint_set = !code;
	if (code != -ENOTSUP && code != -EFAULT) {
		if (code)
			*error = ignored;
		return code;
	}
	machine->no_breakpoints = true;
	return 0;
}

/* Reads the machine's own clock. */
static int read_time(struct gdb_machine *machine, struct error *error)
{
	uint64_t at = machine->common->address + offsetof(struct tr_header, beat_time);
	int code = 0;

	machine->beat_time = 0;
	if (machine->common->size)
		code = gdb_remote_read(&machine->remote, at, &machine->beat_time,
		                       sizeof(machine->beat_time), error);
	return code;
}

int gdb_machine_run(struct gdb_machine *machine, bool listen, struct error *error)
{
	int code;

	if (machine->remote.runs)
		return 0;
	code = read_time(machine, error);
	if (!code)
		code = listen && !machine->at_breakpoint
		           ? set_breakpoint(machine, error)
		           : gdb_machine_remove_breakpoint(machine, error);
	if (!code)
		code = gdb_remote_run(&machine->remote, error);
	if (!code)
		note_running(machine);
	return code;
}

/* ---- Stores ---- */

static void say_stored(struct gdb_machine *machine)
{
	__atomic_store_n(&machine->common->stored,
	                 machine->queued ? machine->numbers[0] - 1 : machine->received,
	                 __ATOMIC_RELEASE);
}

static void forget_store(struct gdb_machine *machine, size_t i)
{
	machine->queued--;
	memmove(machine->queue + i, machine->queue + i + 1,
	        (machine->queued - i) * sizeof(*machine->queue));
	memmove(machine->numbers + i, machine->numbers + i + 1,
	        (machine->queued - i) * sizeof(*machine->numbers));
}

/* Writes all queued stores to the stopped machine. */
int gdb_machine_store(struct gdb_machine *machine, struct error *error)
{
	const struct gdb_common *common = machine->common;
	int code = 0;

	while (machine->queued && !code) {
		const struct gdb_store *store = machine->queue;

		code = gdb_remote_write(&machine->remote, common->address + store->offset,
		                        store->bytes, store->size, error);
		if (!code)
			forget_store(machine, 0);
	}
	say_stored(machine);
	return code;
}

/* An earlier, still queued value of the same word can be dropped. */
static int queue_store(struct gdb_machine *machine, const struct gdb_store *store,
                       struct error *error)
{
	const struct gdb_common *common = machine->common;
	bool waits = machine->queued; /* true even if a word is replaced again and again */
	size_t i = 0;
	int code = 0;

	machine->received++;
	if (store->offset > common->size || store->size > common->size - store->offset)
		return 0;
	while (i < machine->queued &&
	       (machine->queue[i].offset != store->offset || machine->queue[i].size != store->size))
		i++;
	if (i < machine->queued)
		forget_store(machine, i);
	if (machine->queued == MOST_STORES) {
		code = gdb_machine_stop(machine, error);
		if (!code)
			code = gdb_machine_store(machine, error);
	}
	if (code)
		return code;
	if (!waits)
		machine->queued_at = gdb_now_ns();
	machine->numbers[machine->queued] = machine->received;
	machine->queue[machine->queued++] = *store;
	return 0;
}

/* Receives all messages that have been sent so far. */
int gdb_machine_take_stores(struct gdb_machine *machine, int socket, struct error *error)
{
	struct gdb_store store;
	int code = 0;

	for (;;) {
		ssize_t got = recv(socket, &store, sizeof(store), MSG_DONTWAIT);

		if (got < (ssize_t)offsetof(struct gdb_store, bytes) ||
		    store.size != (size_t)got - offsetof(struct gdb_store, bytes))
			break;
		code = queue_store(machine, &store, error);
		if (code)
			break;
	}
	return code;
}
