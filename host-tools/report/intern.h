/* SPDX-License-Identifier: MIT */
/* Numbers for what was seen before: equal pairs get equal numbers, counted from 0. Thread: the one
 * that made it. */
#ifndef HOST_TOOLS_REPORT_INTERN_H
#define HOST_TOOLS_REPORT_INTERN_H

#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern_key {
	uint64_t a, b;
};

struct intern {
	struct intern_key *keys; /* by number */
	uint32_t count;
	uint32_t *slots; /* a hash table of numbers + 1; a power of two of them */
	uint32_t slot_count;
};

/* The pair's number; INTERN_NONE: no memory, or 2^31 pairs. */
uint32_t intern(struct intern *intern, uint64_t a, uint64_t b);

void intern_free(struct intern *intern);

#endif
