/* SPDX-License-Identifier: MIT */
/*
 * Where samples were taken, in memory whose size does not depend on how many there are, nor at how
 * many addresses: a table of a fixed number of places, made once. When most of it is taken, samples
 * at new addresses count for the first byte of their function, and when all of it is, for no place
 * at all; both are counted, and no sum lacks any. Thread: the one that made it.
 */
#ifndef HOST_TOOLS_TOP_TOP_COUNTS_H
#define HOST_TOOLS_TOP_TOP_COUNTS_H

#include <stdint.h>

#define TOP_PLACES  65536U /* as many as are kept: 3 MiB with their hash table */
#define TOP_NOWHERE UINT64_MAX

struct top_place {
	uint64_t address; /* TOP_NOWHERE: it is no place */
	uint64_t weight, samples;
	uint32_t event; /* index in the ledger: an event on a CPU */
	char level;     /* of privilege, as perf shows it */
};

struct top_counts {
	struct top_place *places;
	uint32_t *slots; /* a hash table of indexes from 1 */
	uint32_t count, most;
	struct top_place *others; /* an event each: of what has no place */
	uint32_t events;
	uint64_t weight, samples;   /* of all */
	uint64_t coarse, placeless; /* samples that count for a function's first byte; for none */
};

/* Room for most places (a power of two, at least 4) of so many events. 0 or -ENOMEM. */
int top_counts_open(struct top_counts *counts, uint32_t most, uint32_t events);

/* Where a function begins, or TOP_NOWHERE where nobody knows one. */
typedef uint64_t (*top_counts_function)(void *context, uint64_t address);

/* Count a sample of this event, which is less than events. */
void top_counts_add(struct top_counts *counts, const struct top_place *sample,
                    top_counts_function function, void *context);

/* Place i of top_counts_places(), those of others last, some of them without samples. */
uint32_t top_counts_places(const struct top_counts *counts);
const struct top_place *top_counts_place(const struct top_counts *counts, uint32_t i);

/* Forget all that was counted. */
void top_counts_clear(struct top_counts *counts);

void top_counts_close(struct top_counts *counts);

#endif
