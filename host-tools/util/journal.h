/* SPDX-License-Identifier: MIT */
/*
 * What readers leave to those who come after them: memory that a process and its children share,
 * holding the last state that a reader called complete. A reader may die at any instruction; who
 * comes next finds the state before or the state after, never a mixture.
 *
 *	commits ──▶ even: slot 0 holds the state, odd: slot 1
 *	save: write the other slot, then commits + 1 with release
 */
#ifndef HOST_TOOLS_UTIL_JOURNAL_H
#define HOST_TOOLS_UTIL_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

struct journal {
	uint64_t *commits; /* shared; the slots follow */
	size_t size;       /* of a state, bytes */
};

/* Room for states of this size, all zero. 0 or -ENOMEM. */
int journal_open(struct journal *journal, size_t size);

/* Where to write the next state, aligned to 8; journal_commit() makes it the last one. One
 * writer at a time. */
void *journal_next(struct journal *journal);
void journal_commit(struct journal *journal);

/* The last state; NULL if none was committed. */
const void *journal_last(const struct journal *journal);

/* How many states were committed. */
uint64_t journal_commits(const struct journal *journal);

void journal_close(struct journal *journal);

#endif
