/* SPDX-License-Identifier: MIT */
/* Built-in programs of known shape: something to trace whose right answer is known. */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stdint.h>

struct workload {
	const char *name;
	const char *arguments;   /* for usage: "SECONDS" */
	const char *description; /* one line */
	uint64_t standard;       /* the argument's value where none is given */
	uint64_t least, most;    /* its bounds */
	/* Run to the end. 0, or a negative errno (-ENOMEM). Thread, interrupts enabled. */
	int (*run)(uint64_t argument);
	/* Instead, for a program that takes words (argv[argc] is NULL): its exit status. */
	int (*run_program)(int argc, char **argv);
	/* Why it cannot run here, as a phrase, or NULL; may itself be NULL: it always can. */
	const char *(*missing)(void);
};

extern const struct workload workload_noploop, workload_calltree, workload_branches,
    workload_ptrchase, workload_qsort, workload_matmul, workload_idle, workload_wildframe,
    workload_masked, workload_payload;

/* All of them, ended by NULL. */
extern const struct workload *const workloads[];

/* Has this much time passed since the start (ns by clock_now())? */
int workload_time_is_up(uint64_t start, uint64_t seconds);

/*
 * For a function that calls nothing: on x86_64 gcc leaves a frame out of one that needs no stack,
 * whatever its flags say, and a sample there would miss its caller in the chain.
 */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#endif
