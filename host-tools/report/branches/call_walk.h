/* SPDX-License-Identifier: MIT */
/*
 * Follows the calls in a recording's trace of all branches: which function was entered and left
 * after how many instructions, by CPU. Code without a file (firmware) is function 0: its
 * instructions are not counted, and a call that passes through it ends at the return to its caller.
 * A part of a function that the compiler moved away (FUNCTION.cold) belongs to its function.
 * Thread: the thread that created the struct.
 */
#ifndef HOST_TOOLS_REPORT_BRANCHES_CALL_WALK_H
#define HOST_TOOLS_REPORT_BRANCHES_CALL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/branches/branch_runs.h"
#include "host-tools/report/branches/call_stack.h"
#include "host-tools/report/intern.h"

struct call_walk;

struct call_cpu {
	uint32_t cpu;
	uint64_t executed; /* instructions so far */
	uint64_t to; /* target of the last branch; after an interrupt the interrupted address */
	bool is_interrupted;
	struct call_stack stack;
	struct call_walk *walk;
};

struct call_walk {
	struct branch_runs runs; /* the caller sets runs.file, and nothing else of runs */
	/* Called as the functions of struct call_stack. cpu->executed has the instructions up to
	 * and including the branch. May be NULL. */
	int (*entered)(void *context, const struct call_cpu *cpu, const struct call_frame *frame);
	int (*left)(void *context, const struct call_cpu *cpu, const struct call_frame *frame,
	            bool is_return);
	/* All that was executed so far was executed before time (ns). May be NULL. */
	int (*timed)(void *context, const struct call_cpu *cpu, uint64_t time);
	/* The trace has a gap here, or ends; the stack is empty. May be NULL. */
	int (*gap)(void *context, const struct call_cpu *cpu);
	void *context;
	struct call_cpu *cpus;
	uint32_t cpu_count, last_cpu;
	struct intern functions; /* a: first address; a function's number is its index + 1 */
	uint32_t *parents;       /* by number: the function of a cold part; 0: none */
	struct intern lengths;   /* a: a run's first instruction, b: its last one */
	struct intern jumps;     /* a: address of a branch, b: its target */
	struct call_length *length_facts; /* by index in lengths */
	struct call_jump *jump_facts;     /* by index in jumps */
	uint32_t parents_room, lengths_room, jumps_room;
};

/* Read the trace and call the callbacks. Everything but runs.file and the callbacks must be 0. 0,
 * or a negative errno; -ENODATA: the file has no trace of branches. Call call_walk_free() in both
 * cases. */
int call_walk_read(struct call_walk *walk, struct error *error);

/* The function around an address: its number. INTERN_NONE: memory ran out. */
uint32_t call_walk_function(struct call_walk *walk, uint64_t address);

/* A function's name and file by its number; all NULL for function 0. */
struct symbol call_walk_symbol(const struct call_walk *walk, uint32_t number);

void call_walk_free(struct call_walk *walk);

#endif
