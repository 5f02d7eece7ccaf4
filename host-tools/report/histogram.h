/* SPDX-License-Identifier: MIT */
/* Samples grouped by their common properties. Thread: the thread that created the histogram. */
#ifndef HOST_TOOLS_REPORT_HISTOGRAM_H
#define HOST_TOOLS_REPORT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host-tools/report/intern.h"

/* The common properties of an entry's samples; a text that is no sort key is NULL. Texts are
 * compared as pointers. */
struct histogram_key {
	const char *command;
	const char *file;
	const char *function;
	uint64_t address; /* set if the function has no name */
	const char *line; /* "NAME:LINE" of the source */
	uint32_t cpu;
	int32_t level; /* the privilege level, as perf shows it; 0: not a sort key */
};

_Static_assert(sizeof(struct histogram_key) == 6 * sizeof(uint64_t), "there is padding");

/* Whether both keys are equal. */
bool histogram_is_key(const struct histogram_key *a, const struct histogram_key *b);

struct histogram_entry {
	struct histogram_key key;
	uint64_t weight; /* sum of the samples' PERIODs */
	uint64_t samples;
};

struct histogram {
	struct histogram_entry *entries;
	size_t count;
	uint32_t room;
	struct intern keys;       /* the entries' numbers before histogram_sort() */
	uint64_t weight, samples; /* sums of all entries */
};

/* Add one sample, or several samples whose weights sum to weight. 0 or -ENOMEM. */
int histogram_add(struct histogram *histogram, const struct histogram_key *key, uint64_t weight);
int histogram_add_all(struct histogram *histogram, const struct histogram_key *key, uint64_t weight,
                      uint64_t samples);

/* Sort by weight, the heaviest entry first; entries of equal weight are sorted by their texts.
 * Afterwards nothing can be added. */
void histogram_sort(struct histogram *histogram);

void histogram_free(struct histogram *histogram);

#endif
