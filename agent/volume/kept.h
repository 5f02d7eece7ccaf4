/* SPDX-License-Identifier: MIT */
/*
 * Trace regions that stay in RAM when we go: in pages that nobody else uses, and noted in a
 * variable of the firmware's that a reset forgets, as it forgets who owned the pages. Boot services
 * only. Thread.
 */
#ifndef AGENT_VOLUME_KEPT_H
#define AGENT_VOLUME_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#define KEPT_MAX 16U

struct kept {
	uint64_t address, size; /* bytes; whole pages */
	uint64_t is_found;      /* 1: what a reset had left, which each start tries to write */
};

/* How many there are, the oldest first. Entries that lie in no memory are reported, and removed.
 * After memory_init(). */
unsigned kept_list(struct kept list[KEPT_MAX]);

/* 0; -ENOSPC: there are too many; -EIO: the firmware keeps no variables. The pages stay either
 * way. */
int kept_add(uint64_t address, uint64_t size, bool is_found);

/* It became a file, or is nothing: nobody finds it again, be it after a reset, and its pages are
 * free. */
void kept_free(uint64_t address, uint64_t size);

#endif
