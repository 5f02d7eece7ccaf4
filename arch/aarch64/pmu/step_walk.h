/* SPDX-License-Identifier: MIT */
/*
 * The walk of single-step through the traced code of a CPU: the branches that led to the next
 * instruction, and how to execute that instruction. It accesses no register, so it runs on the host
 * too. Context: the debug exception's handler; each CPU has its own state.
 */
#ifndef ARCH_AARCH64_PMU_STEP_WALK_H
#define ARCH_AARCH64_PMU_STEP_WALK_H

#include "arch/aarch64/pmu/step_sequence.h"

/* How the next instruction is executed. */
enum step_way {
	STEP_ONE, /* alone: an exception follows it */
	/* STEP_OVER: run to a breakpoint at one of the exits in `over` */
	STEP_OVER,
};

struct step_walk {
	uint64_t last; /* address of the running instruction; 0: unknown */
	uint32_t word; /* the instruction; 0 (UDF) if it cannot be read */
	enum step_way way;
	struct step_sequence over; /* valid if way is STEP_OVER */
	unsigned looks;            /* step_walk_look() calls since the sequence began */
	uint64_t store;            /* a store exclusive that was stepped alone, so it failed */
	unsigned stores;           /* how often in a row */
};

struct step_walk_ops {
	step_fetch_fn fetch;
	void (*branch)(uint64_t from, uint64_t to);
	/* So many taken branches are not known; ARCH_MISSED_UNKNOWN: any number. */
	void (*missed)(uint64_t count);
};

/* Execution continues at a place to which the last instruction did not lead. */
void step_walk_forget(struct step_walk *walk);

/* The exception before the instruction at pc has come: report the branches that led here. An
 * operation may end stepping. */
void step_walk_report(struct step_walk *walk, uint64_t pc, const struct step_walk_ops *ops);

/* Choose how the instruction at pc is executed, with at most `limit` breakpoints: sets walk->way
 * and, for STEP_OVER, walk->over. */
void step_walk_go(struct step_walk *walk, uint64_t pc, unsigned limit,
                  const struct step_walk_ops *ops);

/* Called at each tick. Returns true if a sequence has not come to an exit for so long that it has
 * left by another way: then step again, from wherever the CPU is. */
bool step_walk_look(struct step_walk *walk);

#endif
