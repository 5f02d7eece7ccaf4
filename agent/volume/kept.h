/* SPDX-License-Identifier: MIT */
/*
 * Trace regions that stay in RAM when our image ends: in reserved pages, and noted in a variable of
 * the firmware. A reset clears both the variable and the reservation. Boot services only. Thread.
 */
#ifndef AGENT_VOLUME_KEPT_H
#define AGENT_VOLUME_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#define KEPT_MAX 16U

struct kept {
	uint64_t address, size; /* bytes; whole pages */
	uint64_t is_found;      /* 1: it survived a reset, and each start tries to write it */
};

/* List the kept regions, the oldest first. Returns their number. Entries outside all memory are
 * reported, and removed. After memory_init(). */
unsigned kept_list(struct kept list[KEPT_MAX]);

/* Note a region. Returns 0; -ENOSPC: there are too many; -EIO: the firmware keeps no variables. The
 * pages stay reserved in each case. */
int kept_add(uint64_t address, uint64_t size, bool is_found);

/* Free a region that was written to a file, or that cannot be used: its note, its pages, and its
 * magic, so that it is not found after a reset either. */
void kept_free(uint64_t address, uint64_t size);

#endif
