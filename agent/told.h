/* SPDX-License-Identifier: MIT */
/* What a recording in memory says to people: on the screen, and as text beside its file. Boot
 * services, or exclusive after a recording. Thread. */
#ifndef AGENT_TOLD_H
#define AGENT_TOLD_H

#include <stdint.h>

struct told;

/* Look at a complete region of size bytes, of which none is changed. Its functions have the names
 * of this image, if that recorded it, and of the payload that is loaded. NULL: it cannot be looked
 * at, which is said. */
struct told *told_open(const void *region, uint64_t size);
void told_close(struct told *told);

void told_on_screen(const struct told *told);

/* NNNN.txt beside the recording's file, without which that is whole as well: what fails is said. */
void told_beside(const struct told *told, const char *path);

/* All of it for one that has just become a file: recover_save()'s. */
void told_of_file(const void *region, uint64_t size, const char *path);

#endif
