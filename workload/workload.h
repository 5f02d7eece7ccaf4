/* SPDX-License-Identifier: MIT */
/* Built-in programs of known behaviour, for traces whose right result is known. */
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/workload.h"

struct workload {
	struct workload_usage usage; /* the first member: workload_of() */
	/* Run to the end. 0, or a negative errno (-ENOMEM). Thread, interrupts enabled. */
	int (*run)(uint64_t argument);
	/* For a program that takes words, instead of run (argv[argc] is NULL): returns its exit
	 * status. */
	int (*run_program)(int argc, char **argv);
	/* Why it cannot run on this machine: a phrase, or NULL; the pointer may be NULL: it always
	 * can. */
	const char *(*missing)(void);
};

extern const struct workload workload_noploop, workload_calltree, workload_branches,
    workload_ptrchase, workload_qsort, workload_matmul, workload_idle, workload_wildframe,
    workload_masked, workload_payload, workload_uefi_image, workload_boot;

/* All workloads, ended by NULL; each pointer is the first member of a struct workload. */
extern const struct workload_usage *const workloads[];

/* The workload with this usage, which must be a list entry. */
static inline const struct workload *workload_of(const struct workload_usage *usage)
{
	return (const struct workload *)usage;
}

/* Tell time-limited workloads that their time is up (or not any more), because the recording ends.
 * Any context. */
void workload_end(bool now);

/* Whether this much time has passed since the start (ns of clock_now()). */
int workload_time_is_up(uint64_t start, uint64_t ns);

/*
 * For a function that calls nothing: on x86_64 gcc omits the frame of a function that needs no
 * stack, despite its flags, and a sample there would lack the caller in its callchain.
 */
#define KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#endif
