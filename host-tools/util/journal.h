/* SPDX-License-Identifier: MIT */
/*
 * A reader's state for the next reader: a file that all of them map, with the last state that a
 * reader called complete. A reader may die at any instruction; the next one finds the state before
 * or the state after, never a mixture. The file has no name if only children continue; it lies
 * beside the output if another process may continue.
 *
 *	head: key, commits ──▶ even: slot 0 holds the state, odd: slot 1
 *	save: write the other slot and its checksum, then commits + 1 with release
 *	behind the slots: room that the owner appends to, and whose end is in the state
 *
 * A host that loses its power may keep any part of it.
 */
#ifndef HOST_TOOLS_UTIL_JOURNAL_H
#define HOST_TOOLS_UTIL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

/* A journal's identity: any numbers that differ between recordings. */
struct journal_key {
	uint64_t nonce, run, file;
};

struct journal {
	struct journal_head *head; /* mapped; the slots follow. NULL: not open */
	size_t size;               /* size of a state, bytes */
	int fd;
	char *path; /* NULL: the journal has no name */
};

/* Allocate memory that children share, for states of this size, all zero. 0 or -ENOMEM. */
int journal_open(struct journal *journal, size_t size);

/* The same in a new file, which replaces an existing one. */
int journal_create(struct journal *journal, const char *path, const struct journal_key *key,
                   size_t size, struct error *error);

/* Get the key of the journal at path. -ENOENT: there is none with a state; -EPROTO: it is another
 * tool's. */
int journal_look(const char *path, struct journal_key *key, struct error *error);

/* Resume the journal with this key and size. -ESTALE: it belongs to another recording; -EPROTO: its
 * last state is damaged, or it is another tool's. */
int journal_resume(struct journal *journal, const char *path, const struct journal_key *key,
                   size_t size, struct error *error);

/* The place for the next state, aligned to 8; journal_commit() makes it the last state. One writer
 * at a time. */
void *journal_next(struct journal *journal);
void journal_commit(struct journal *journal);

/* The last state; NULL if none was committed. */
const void *journal_last(const struct journal *journal);

/* How many states were committed. */
uint64_t journal_commits(const struct journal *journal);

/* Append bytes in the room behind the slots; at: the end of the appended bytes in the last state. 0
 * or -ENOMEM. */
int journal_append(struct journal *journal, uint64_t at, const void *bytes, size_t size);

/* Copy the first size appended bytes; false if they cannot be read. */
bool journal_appended(const struct journal *journal, void *to, size_t size);

/* Size of the file behind the slots, whatever the last state says. */
uint64_t journal_room(const struct journal *journal);

/* The recording is complete: no process resumes it, and the journal's file is deleted. */
void journal_remove(struct journal *journal);

void journal_close(struct journal *journal);

/* The name of the journal beside a file, malloc()ed; NULL: no memory. */
char *journal_path(const char *file);

#endif
