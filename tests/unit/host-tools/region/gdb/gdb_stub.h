/* SPDX-License-Identifier: MIT */
/*
 * A GDB stub of some memory, in a thread of the test's: it stops its machine when somebody
 * connects, and lets it run again by `c` or `D` only, as QEMU's does. And stubs that are wrong in
 * one way.
 */
#ifndef TESTS_UNIT_GDB_STUB_H
#define TESTS_UNIT_GDB_STUB_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gdb_stub_fault {
	STUB_RIGHT,
	STUB_SILENT,     /* takes everything, answers nothing */
	STUB_CLOSES,     /* hangs up at the first request */
	STUB_GARBAGE,    /* answers what is no packet */
	STUB_BAD_SUMS,   /* each packet is damaged */
	STUB_HALF,       /* and ends in its middle */
	STUB_CHATTERS,   /* says other things without end */
	STUB_TOO_LONG,   /* a packet that does not end */
	STUB_NO_MEMORY,  /* E14 to everything about memory */
	STUB_ODD_MEMORY, /* memory that is no hex */
	STUB_DEAF,       /* does not stop a machine that runs */
	STUB_FAULTS,
};

struct gdb_stub {
	/* The test's, before it starts: */
	uint8_t *bytes;
	uint64_t address, size;
	enum gdb_stub_fault fault;
	bool no_ack, binary, run_lengths, physical;
	bool breakpoints;
	bool wants_process; /* in `D`, as QEMU's after it has met GDB */
	unsigned packet_size;
	unsigned dribble;     /* bytes that are sent at a time; 0: all */
	char registers[1024]; /* in hex, of an x86_64; empty: the stub sends none */
	bool keeps_registers; /* and takes no others */
	uint64_t ends;        /* pc with which its state becomes FAILED, when it runs; 0: none */

	char path[PATH_MAX]; /* where it listens */
	int listener;
	pthread_t thread;
	/* The results; atomic: */
	bool end, runs, is_ringing;
	unsigned connections, detached, stops, hits;
	uint64_t breakpoint;
};

/* Listen at a path of its own, until it is stopped. */
void gdb_stub_start(struct gdb_stub *stub);
void gdb_stub_stop(struct gdb_stub *stub);

/* The machine comes to the breakpoint, if it runs and has one. */
void gdb_stub_ring(struct gdb_stub *stub);

#endif
