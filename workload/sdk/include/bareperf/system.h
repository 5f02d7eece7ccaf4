/* SPDX-License-Identifier: MIT */
/*
 * The interface between a payload and the firmware that runs it: the payload's start-up code gets
 * this table and calls through it. Nothing is linked. A program does not need this header: it has
 * the C library, <bareperf/thread.h>, <bareperf/clock.h> and <bareperf/mark.h>.
 *
 * Every call follows the C ABI of the ISA, returns within a bounded time unless its comment says
 * otherwise, and may be made by all threads at once. Marks may also be made by the program's own
 * interrupt handlers, all else by threads only. Errors are negative errno numbers.
 */
#ifndef BAREPERF_SYSTEM_H
#define BAREPERF_SYSTEM_H

#include <stdint.h>

/* Raised when a member changes its meaning. New members are added at the end, without raising
 * it. */
#define BAREPERF_SYSTEM_VERSION 1U

#define BAREPERF_ANY_CPU (-1)

/* Values for write_to() */
#define BAREPERF_STDOUT 1U
#define BAREPERF_STDERR 2U

/* A mark's text, made by <bareperf/mark.h>. In the program's own image, but not in its last 256
 * bytes. */
struct bareperf_mark {
	/* Bytes of the text: 8 * words - 4, with two to eight words; and 24 for each value. */
	uint32_t size;
	/* The text, and NULs up to the last word's end, at least one. "begin NAME" and "end
	 * NAME" are a region. With values it is a format, preceded by a byte with the number of
	 * values. */
	char text[];
};

/* Record a mark with so many values: integers and pointers as they are, doubles as their bits. Any
 * context on the CPU of the thread that got this struct, interrupt handlers included. */
struct bareperf_marks {
	void (*mark0)(const struct bareperf_marks *marks, const struct bareperf_mark *mark);
	void (*mark1)(const struct bareperf_marks *marks, const struct bareperf_mark *mark,
	              uint64_t a);
	void (*mark2)(const struct bareperf_marks *marks, const struct bareperf_mark *mark,
	              uint64_t a, uint64_t b);
	void (*mark3)(const struct bareperf_marks *marks, const struct bareperf_mark *mark,
	              uint64_t a, uint64_t b, uint64_t c);
	void (*mark4)(const struct bareperf_marks *marks, const struct bareperf_mark *mark,
	              uint64_t a, uint64_t b, uint64_t c, uint64_t d);
};

struct bareperf_system {
	uint32_t version; /* BAREPERF_SYSTEM_VERSION */
	uint32_t size;    /* bytes of the firmware's table */
	int32_t argc;
	uint32_t cpus;      /* this CPU and those that run threads */
	char **argv;        /* argv[argc] is NULL */
	void *heap;         /* page aligned, not zeroed */
	uint64_t heap_size; /* bytes */
	uint64_t epoch;     /* s since 1970-01-01 UTC at clock() 0; 0: unknown */

	/* write_to() with BAREPERF_STDOUT. */
	int64_t (*write)(const void *bytes, uint64_t size);
	/* ns since bareperf took over the machine; the samples' time. */
	uint64_t (*clock)(void);
	/* The calling CPU. */
	uint32_t (*cpu)(void);
	/* End the calling thread; if it is the one that runs main(), end the payload. */
	void (*exit)(int status);
	/* Run fn(argument) on a CPU of its own, on a stack of at least 256 KiB. Returns the CPU;
	 * -EBUSY: it is not free (for BAREPERF_ANY_CPU: none is); -ENODEV: it runs no threads. */
	int (*thread_start)(int cpu, int (*fn)(void *argument), void *argument);
	/* Wait for the thread on this CPU to end, and free the CPU. Returns 0, with fn's result or
	 * exit()'s argument in *result; -ESRCH: there is none. */
	int (*thread_join)(int cpu, int *result);
	/* The files that were handed over with the program, read-only: an archive (lib/cpio.h) of
	 * archive_size bytes; 0: there are none. */
	const void *archive;
	uint64_t archive_size;
	/* End the payload with this exit status; any thread may call it. */
	void (*end)(int status);
	/* Resume a thread that halted this CPU; call it after storing the value that the thread
	 * waits for. No effect if there is no such CPU. */
	void (*wake)(uint32_t cpu);
	/* Print bytes on standard output or standard error. Returns size; -EFAULT: not the
	 * payload's own memory; -EBADF: another file. May wait, as at a pipe. */
	int64_t (*write_to)(uint32_t file, const void *bytes, uint64_t size);
	/* Set the function by which the firmware fetches files after the program has ended in any
	 * way: it calls find on the boot CPU, when no thread runs any more. *bytes must stay valid
	 * until the program is run again. find returns 0; -ENOENT: no file of this name. NULL: no
	 * files. */
	void (*offer_files)(int (*find)(const char *name, const void **bytes, uint64_t *size));
	/* Resume (1) or pause (0) all events of the recording, on all its CPUs. Returns 0;
	 * -EOPNOTSUPP: one of them is a hardware trace; -ETIMEDOUT: a CPU has masked interrupts and
	 * will follow when it unmasks them. Not in an interrupt handler. */
	int (*record)(int on);
	/* The recorder of the calling thread's marks, valid while it runs; NULL: marks are not
	 * recorded. */
	const struct bareperf_marks *(*marks)(void);
	/* Not 0: begin and end count the events between them. A region without a name measures the
	 * cost of begin and end themselves; its events are in no event's total. */
	uint64_t counts_regions;
};

#endif
