/* SPDX-License-Identifier: MIT */
/* The summary of a recording in memory: on the screen, and as text beside its file. Boot services,
 * or exclusive after a recording. Thread. */
#ifndef AGENT_SUMMARY_H
#define AGENT_SUMMARY_H

#include <stdint.h>

struct summary;

/* Look at a complete region of size bytes, of which none is changed. Its functions have the names
 * of this image, if that recorded it, and of the payload that is loaded. NULL: it cannot be looked
 * at, which is said. */
struct summary *summary_open(const void *region, uint64_t size);
void summary_close(struct summary *summary);

void summary_on_screen(const struct summary *summary);

/* NNNN.txt beside the recording's file, without which that is whole as well: what fails is said. */
void summary_beside(const struct summary *summary, const char *path);

/* All of it for one that has just become a file: recover_save()'s. */
void summary_of_file(const void *region, uint64_t size, const char *path);

#endif
