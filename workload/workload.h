/* SPDX-License-Identifier: MIT */
/* Built-in programs of known shape: something to trace whose right answer is known. */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/workload.h"

struct workload {
	struct workload_usage usage; /* the first member: workload_of() */
	/* Run to the end. 0, or a negative errno (-ENOMEM). Thread, interrupts enabled. */
	int (*run)(uint64_t argument);
	/* Instead, where it takes words (argv[argc] is NULL): its exit status. */
	int (*run_program)(int argc, char **argv);
	/* Why it cannot run here, as a phrase, or NULL; may itself be NULL: it always can. */
	const char *(*missing)(void);
};

extern const struct workload workload_noploop, workload_calltree, workload_branches,
    workload_ptrchase, workload_qsort, workload_matmul, workload_idle, workload_wildframe,
    workload_masked, workload_payload, workload_uefi_image, workload_boot;

/* All of them, each the beginning of a struct workload, ended by NULL. */
extern const struct workload_usage *const workloads[];

/* Whose usage it is, of one of these. */
static inline const struct workload *workload_of(const struct workload_usage *usage)
{
	return (const struct workload *)usage;
}

/* From now on (or no longer) their time is up: the recording is to end. Any context. */
void workload_end(bool now);

/* Has this much time passed since the start (ns by clock_now())? */
int workload_time_is_up(uint64_t start, uint64_t ns);

/*
 * For a function that calls nothing: on x86_64 gcc leaves a frame out of one that needs no stack,
 * whatever its flags say, and a sample there would miss its caller in the chain.
 */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#endif
