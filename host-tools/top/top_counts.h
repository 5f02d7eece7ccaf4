/* SPDX-License-Identifier: MIT */
/*
 * Counts samples by their place, in a table whose fixed size does not depend on the number of
 * samples or addresses. When most of the table is used, samples at new addresses count for the
 * first byte of their function. When the whole table is used, they count for no place. The table
 * counts both cases, so every sample is in the sums. Thread: the one that made the table.
 */
#ifndef HOST_TOOLS_TOP_TOP_COUNTS_H
#define HOST_TOOLS_TOP_TOP_COUNTS_H

#include <stdint.h>

#define TOP_PLACES  65536U /* size of the table: 3 MiB with its hash table */
#define TOP_NOWHERE UINT64_MAX

struct top_place {
	uint64_t address; /* TOP_NOWHERE: not a place */
	uint64_t weight, samples;
	uint32_t event; /* index in the ledger: one event on one CPU */
	char level;     /* privilege level, as perf shows it */
};

struct top_counts {
	struct top_place *places;
	uint32_t *slots; /* a hash table of indexes from 1 */
	uint32_t count, most;
	struct top_place *others; /* one entry per event: the samples without a place */
	uint32_t events;
	uint64_t weight, samples; /* sums over all samples */
	/* samples that count for a function's first byte; samples without a place */
	uint64_t coarse, placeless;
};

/* Allocates at most `most` places (a power of two, at least 4) for this number of events. 0 or
 * -ENOMEM. */
int top_counts_open(struct top_counts *counts, uint32_t most, uint32_t events);

/* Returns the first address of the function at an address; TOP_NOWHERE: unknown. */
typedef uint64_t (*top_counts_function)(void *context, uint64_t address);

/* Counts a sample of this event (event < events). */
void top_counts_add(struct top_counts *counts, const struct top_place *sample,
                    top_counts_function function, void *context);

/* Returns place i of top_counts_places(). The last places are those of samples without a place;
 * some may be empty. */
uint32_t top_counts_places(const struct top_counts *counts);
const struct top_place *top_counts_place(const struct top_counts *counts, uint32_t i);

/* Clears all counts. */
void top_counts_clear(struct top_counts *counts);

void top_counts_close(struct top_counts *counts);

#endif
