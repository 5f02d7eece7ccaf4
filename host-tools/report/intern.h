/* SPDX-License-Identifier: MIT */
/* Give each different pair, or other key, a number, counted from 0; equal ones get the same number.
 * Thread: the thread that created the table. */
#ifndef HOST_TOOLS_REPORT_INTERN_H
#define HOST_TOOLS_REPORT_INTERN_H

#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern_key {
	uint64_t a, b;
};

struct intern {
	union {
		struct intern_key *keys; /* indexed by the pair's number */
		void *bytes;             /* the same for other keys */
	};
	uint32_t count;
	uint32_t *slots; /* hash table: number + 1, 0: free; slot_count is a power of two */
	uint32_t slot_count;
};

/* Return the pair's number, a new one for a new pair. INTERN_NONE: memory ran out, or the table
 * has 2^31 pairs. */
uint32_t intern(struct intern *intern, uint64_t a, uint64_t b);

/* The same for a key of `size` bytes without padding, a multiple of 8; all keys of a table have
 * this size. */
uint32_t intern_any(struct intern *intern, const void *key, size_t size);

void intern_free(struct intern *intern);

#endif
