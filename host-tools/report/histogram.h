/* SPDX-License-Identifier: MIT */
/* Samples sorted by what they have in common. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_HISTOGRAM_H
#define HOST_TOOLS_REPORT_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The common properties of an entry's samples; a text that is no sort key is NULL. Texts are
 * compared as pointers. */
struct histogram_key {
	const char *command;
	const char *file;
	const char *function;
	uint64_t address; /* where the function has no name */
	const char *line; /* of a source */
	uint32_t cpu;
	char level; /* of privilege, as perf shows it; 0 */
};

/* Whether it is the same key. */
bool histogram_is_key(const struct histogram_key *a, const struct histogram_key *b);

struct histogram_entry {
	struct histogram_key key;
	uint64_t weight; /* PERIODs */
	uint64_t samples;
};

struct histogram {
	struct histogram_entry *entries;
	size_t count;
	size_t *slots; /* a hash table of indexes from 1; a power of two of them */
	size_t slot_count;
	uint64_t weight, samples; /* of all entries */
};

/* Add a sample; or so many, of that weight together. 0 or -ENOMEM. */
int histogram_add(struct histogram *histogram, const struct histogram_key *key, uint64_t weight);
int histogram_add_all(struct histogram *histogram, const struct histogram_key *key, uint64_t weight,
                      uint64_t samples);

/* The heaviest first, those of equal weight by their texts. Nothing can be added afterwards. */
void histogram_sort(struct histogram *histogram);

void histogram_free(struct histogram *histogram);

#endif
