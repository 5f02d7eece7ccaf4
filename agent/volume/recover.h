/* SPDX-License-Identifier: MIT */
/*
 * The crash keeper's second half (docs/crash-store.md): a recording in RAM that nobody took before
 * the machine was reset is found by the next start of the image, and becomes a file. Boot services
 * only. Thread.
 */
#ifndef AGENT_VOLUME_RECOVER_H
#define AGENT_VOLUME_RECOVER_H

#include <stdint.h>

/* Look for recordings: at multiples of 2 MiB in what the memory map has free, and where an earlier
 * start in this boot could not write one. Their memory is reserved.
 * After memory_init(), before anything else is allocated. */
void recover_find(void);

/* Called for each recording that was written to the file of this path. */
typedef void (*recover_told_fn)(const void *region, uint64_t size, const char *path);

/* Say what was found, make a file of each, and free it; one that cannot be written stays where it
 * is, noted (kept.h), and that is said. How many files there are; or a negative errno, the last
 * one's that is left. */
int recover_save(recover_told_fn tell);

#endif
