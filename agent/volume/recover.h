/* SPDX-License-Identifier: MIT */
/*
 * The reading half of the crash store (docs/crash-store.md): the next start of the image finds a
 * recording in RAM that no reader took before the machine was reset, and writes it to a file. Boot
 * services only. Thread.
 */
#ifndef AGENT_VOLUME_RECOVER_H
#define AGENT_VOLUME_RECOVER_H

#include <stdint.h>

/* Look for recordings at multiples of 2 MiB in free memory of the memory map, and where an earlier
 * start in this boot could not write one. Reserves their memory. After memory_init(), before
 * anything else is allocated. */
void recover_find(void);

/* Called for each recording that was written to the file of this path. */
typedef void (*recover_saved_fn)(const void *region, uint64_t size, const char *path);

/* Report the recordings that were found, write each to a file, and free it. A recording that cannot
 * be written is reported, and stays in RAM with a note (kept.h). Returns the number of files, or
 * the errno of the last recording that could not be written. */
int recover_save(recover_saved_fn saved);

#endif
