/* SPDX-License-Identifier: MIT */
/*
 * A GDB stub with some memory, in a thread of the test: it stops its machine when a client
 * connects, and resumes it only by `c` or `D`, as QEMU does. And stubs with one fault each.
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
	STUB_GARBAGE,    /* answers bytes that are no packet */
	STUB_BAD_SUMS,   /* each packet is damaged */
	STUB_HALF,       /* sends half of a packet, and then nothing */
	STUB_CHATTERS,   /* sends other packets without end */
	STUB_TOO_LONG,   /* a packet that does not end */
	STUB_NO_MEMORY,  /* E14 for every request about memory */
	STUB_ODD_MEMORY, /* memory that is not hexadecimal */
	STUB_DEAF,       /* does not stop a running machine */
	STUB_FAULTS,
};

struct gdb_stub {
	/* Set by the test before it starts: */
	uint8_t *bytes;
	uint64_t address, size;
	enum gdb_stub_fault fault;
	bool no_ack, binary, run_lengths, physical;
	bool breakpoints;
	bool wants_process; /* expects a process id in `D`, as QEMU does after GDB has connected */
	unsigned packet_size;
	unsigned dribble;     /* bytes that are sent at a time; 0: all */
	char registers[1024]; /* hexadecimal, of an x86_64; empty: the stub sends none */
	bool keeps_registers; /* the stub also accepts no writes of registers */
	/* if the machine runs with this pc its state becomes FAILED; 0: never */
	uint64_t ends;

	char path[PATH_MAX]; /* the path at which it listens */
	int listener;
	pthread_t thread;
	/* Results; atomic: */
	bool end, runs, is_ringing;
	unsigned connections, detached, stops, hits;
	uint64_t breakpoint;
};

/* Listen at a path of its own until it is stopped. */
void gdb_stub_start(struct gdb_stub *stub);
void gdb_stub_stop(struct gdb_stub *stub);

/* The machine reaches the breakpoint, if it runs and has one. */
void gdb_stub_ring(struct gdb_stub *stub);

#endif
