/* SPDX-License-Identifier: MIT */
/*
 * The stacks of a branch trace over time: one for each time at which a CPU's stack of calls
 * changes. Thread: the thread that created the struct.
 */
#ifndef HOST_TOOLS_REPORT_BRANCHES_CALL_STACKS_H
#define HOST_TOOLS_REPORT_BRANCHES_CALL_STACKS_H

#include <stdint.h>

#include "host-tools/report/branches/call_times.h"
#include "host-tools/report/places.h"

/* A CPU had this stack from `since` on, for `length` ns, at least 1. */
struct call_stacks_slice {
	uint32_t cpu;
	uint32_t node;     /* the innermost function's number in places->nodes */
	uint32_t function; /* its number in the walk; 0: unknown */
	uint64_t since, length;
};

struct call_stacks {
	struct call_times
	    times;             /* the caller sets times.walk.runs.file, and nothing else of times */
	struct places *places; /* gets the functions and nodes */
	int (*put)(void *context, const struct call_stacks_slice *slice);
	void *context;
	struct call_stacks_line *lines; /* a CPU each */
	uint32_t line_count;
};

/* Read the trace and show its stacks, of each CPU in the order of time. 0, or a negative errno,
 * also put()'s; -ENODATA: no trace of branches. Call call_stacks_free() in both cases. */
int call_stacks_read(struct call_stacks *stacks, struct error *error);

/* The address of a function's first instruction; 0: unknown. */
uint64_t call_stacks_address(const struct call_stacks *stacks, uint32_t function);

void call_stacks_free(struct call_stacks *stacks);

#endif
