/* SPDX-License-Identifier: MIT */
/*
 * All that passes between a payload and the firmware that runs it: the payload's start-up gets
 * this table and calls through it. Nothing is linked. A program has no need of this header; it
 * has the C library, <bareperf/thread.h>, <bareperf/clock.h> and <bareperf/mark.h>.
 *
 * Every call follows the C ABI of the ISA, returns at most after a bounded time but for those that
 * say otherwise, and may be made by all threads at once; marks by the program's own interrupt
 * handlers, too, all else by threads alone. Errors are negative errno numbers.
 */
#ifndef BAREPERF_SYSTEM_H
#define BAREPERF_SYSTEM_H

#include <stdint.h>

/* Raised when a member changes its meaning. New members come last and leave it as it is. */
#define BAREPERF_SYSTEM_VERSION 1U

#define BAREPERF_ANY_CPU (-1)

/* Of write_to() */
#define BAREPERF_STDOUT 1U
#define BAREPERF_STDERR 2U

/* Something that the program says of itself; <bareperf/mark.h> makes them. In the program's own
 * image, not in its last 256 bytes. */
struct bareperf_mark {
	/* What follows, bytes: 8 * words - 4, of two words at least and eight at most; and 24 for
	 * each value. */
	uint32_t size;
	/* At least one NUL, and NULs up to the last word's end. "begin NAME" and "end NAME" are a
	 * region. With values it is a format, and a byte in front of it is how many there are. */
	char text[];
};

/* Record a mark with so many values, integers and pointers as they are, a double's bits. Any
 * context on the CPU of the thread that it was given to, interrupts' handlers included. */
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
	uint32_t size;    /* of the table that the firmware has, bytes */
	int32_t argc;
	uint32_t cpus;      /* this one and those that take threads */
	char **argv;        /* argv[argc] is NULL */
	void *heap;         /* page aligned, not zeroed */
	uint64_t heap_size; /* bytes */
	uint64_t epoch;     /* s since 1970-01-01 UTC when clock() was 0; 0: unknown */

	/* write_to() BAREPERF_STDOUT. */
	int64_t (*write)(const void *bytes, uint64_t size);
	/* ns since the machine was taken; the time in samples. */
	uint64_t (*clock)(void);
	/* The CPU that asks. */
	uint32_t (*cpu)(void);
	/* End the thread that asks; where that is the one which ran main(), the payload. */
	void (*exit)(int status);
	/* Run fn(argument) on a CPU of its own, on a stack of at least 256 KiB. Returns the CPU;
	 * -EBUSY: it is not free (of BAREPERF_ANY_CPU: none is); -ENODEV: it takes no threads. */
	int (*thread_start)(int cpu, int (*fn)(void *argument), void *argument);
	/* Wait for the thread on this CPU to end, and free the CPU. 0, *result is what fn
	 * returned or gave exit(); -ESRCH: there is none. */
	int (*thread_join)(int cpu, int *result);
	/* The files that were handed over with the program, to be read only: lib/cpio.h's archive
	 * of archive_size bytes; 0: there are none. */
	const void *archive;
	uint64_t archive_size;
	/* End the payload, whichever thread asks, with this exit status. */
	void (*end)(int status);
	/* A thread on this CPU that halted it goes on: to be called after what it waits for has
	 * been stored. Nothing where there is no such CPU. */
	void (*wake)(uint32_t cpu);
	/* Print bytes on standard output or standard error. size, or -EFAULT: not the payload's own
	 * memory; -EBADF: neither. May wait, as at a pipe. */
	int64_t (*write_to)(uint32_t file, const void *bytes, uint64_t size);
	/* Have the firmware look for files when the program has ended, however it did: by find, on
	 * the boot CPU, while no thread runs any more. *bytes stay where they are until the program
	 * is run again. 0; -ENOENT: there is none of this name. NULL: nobody has files. */
	void (*offer_files)(int (*find)(const char *name, const void **bytes, uint64_t *size));
	/* Have all events of the recording go on (1), or stand still (0), on all its CPUs. 0;
	 * -EOPNOTSUPP: one of them is a hardware trace; -ETIMEDOUT: a CPU that masks interrupts
	 * has not heard yet, and will when it lets them in. Not in an interrupt's handler. */
	int (*record)(int on);
	/* What records the marks of the thread that asks, as long as it runs; NULL: nobody wants
	 * them. */
	const struct bareperf_marks *(*marks)(void);
	/* Not 0: begin and end count what happens between them, and those of a region without a
	 * name what they themselves add to it; what happens in that one is in no event's total. */
	uint64_t counts_regions;
};

#endif
