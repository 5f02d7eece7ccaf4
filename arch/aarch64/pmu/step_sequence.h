/* SPDX-License-Identifier: MIT */
/*
 * Exclusive sequences, from a load exclusive to its store exclusive. An exception's return clears
 * the exclusive monitor (DDI 0487, B2.12 "Synchronization and semaphores"), so a program that is
 * stopped after each instruction would repeat such a sequence for ever. The sequence is run as a
 * whole instead, to a breakpoint at each of its exits; the exit shows which branches were taken.
 */
#ifndef ARCH_AARCH64_PMU_STEP_SEQUENCE_H
#define ARCH_AARCH64_PMU_STEP_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#define STEP_EXITS 4U
#define STEP_PATH  3U /* taken branches on the way to an exit */

struct step_branch {
	uint64_t from, to;
};

struct step_exit {
	uint64_t address;
	unsigned count; /* taken branches on the way from the load to here */
	struct step_branch path[STEP_PATH];
	/* Two ways lead here, each with count branches; path has one of them. */
	bool is_ambiguous;
};

struct step_sequence {
	unsigned count;
	struct step_exit exits[STEP_EXITS];
	/* Some way out of the sequence is not among the exits, or the number of branches on a way
	 * is unknown: the sequence contains a loop, or has too many ways. */
	bool is_incomplete;
};

/* Read the instruction at an address of the traced code; false: it cannot be read. */
typedef bool (*step_fetch_fn)(uint64_t pc, uint32_t *word);

/* Find the exits of the sequence that begins with the load exclusive at pc, at most limit of them.
 * A way ends behind a store exclusive, or at the branch behind which no straight line leads to one.
 * Returns false if no store exclusive follows the load in a straight line: then the load can be
 * stepped. Any context. */
bool step_sequence_find(struct step_sequence *sequence, uint64_t pc, unsigned limit,
                        step_fetch_fn fetch);

/* The exit at an address; NULL: it is none. Any context. */
const struct step_exit *step_sequence_exit(const struct step_sequence *sequence, uint64_t address);

#endif
