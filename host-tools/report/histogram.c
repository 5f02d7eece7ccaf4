/* SPDX-License-Identifier: MIT */
#include "host-tools/report/histogram.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024U
#define GOLDEN      0x9e3779b97f4a7c15ULL /* 2^64 / golden ratio: spreads similar hashes */

static size_t hash_key(const struct histogram_key *key)
{
	uint64_t hash = (uintptr_t)key->command;

	hash = hash * GOLDEN + (uintptr_t)key->file;
	hash = hash * GOLDEN + (uintptr_t)key->function;
	hash = hash * GOLDEN + (uintptr_t)key->line;
	hash = hash * GOLDEN + key->address;
	hash = hash * GOLDEN + (key->cpu << 8 | (uint8_t)key->level);
	return (size_t)(hash * GOLDEN >> 20);
}

bool histogram_is_key(const struct histogram_key *a, const struct histogram_key *b)
{
	return a->command == b->command && a->file == b->file && a->function == b->function &&
	       a->line == b->line && a->address == b->address && a->cpu == b->cpu &&
	       a->level == b->level;
}

/* Find the slot that has the key, or the free slot where the key belongs. */
static size_t *find_slot(const struct histogram *histogram, const struct histogram_key *key)
{
	size_t at = hash_key(key);

	for (;; at++) {
		size_t *slot = &histogram->slots[at & (histogram->slot_count - 1)];

		if (!*slot || histogram_is_key(&histogram->entries[*slot - 1].key, key))
			return slot;
	}
}

/* Keep half of the slots free, so that probing stays short. */
static int grow(struct histogram *histogram)
{
	size_t wanted = histogram->slot_count ? 2 * histogram->slot_count : FIRST_SLOTS;
	size_t *slots = calloc(wanted, sizeof(*slots));
	struct histogram_entry *entries =
	    slots ? realloc(histogram->entries, wanted / 2 * sizeof(*entries)) : NULL;

	if (!entries) {
		free(slots);
		return -ENOMEM;
	}
	free(histogram->slots);
	histogram->slots = slots;
	histogram->slot_count = wanted;
	histogram->entries = entries;
	for (size_t i = 0; i < histogram->count; i++)
		*find_slot(histogram, &entries[i].key) = i + 1;
	return 0;
}

int histogram_add(struct histogram *histogram, const struct histogram_key *key, uint64_t weight)
{
	return histogram_add_all(histogram, key, weight, 1);
}

int histogram_add_all(struct histogram *histogram, const struct histogram_key *key, uint64_t weight,
                      uint64_t samples)
{
	size_t *slot;

	if (histogram->count >= histogram->slot_count / 2 && grow(histogram))
		return -ENOMEM;
	slot = find_slot(histogram, key);
	if (!*slot) {
		histogram->entries[histogram->count] = (struct histogram_entry){ .key = *key };
		*slot = ++histogram->count;
	}
	histogram->entries[*slot - 1].weight += weight;
	histogram->entries[*slot - 1].samples += samples;
	histogram->weight += weight;
	histogram->samples += samples;
	return 0;
}

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_keys(const struct histogram_key *a, const struct histogram_key *b)
{
	int order = compare_texts(a->command, b->command);

	if (!order)
		order = compare_texts(a->file, b->file);
	if (!order)
		order = compare_texts(a->function, b->function);
	if (!order)
		order = compare_texts(a->line, b->line);
	if (!order)
		order = (a->address > b->address) - (a->address < b->address);
	return order ? order : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static int compare_entries(const void *one, const void *other)
{
	const struct histogram_entry *a = one, *b = other;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return compare_keys(&a->key, &b->key);
}

void histogram_sort(struct histogram *histogram)
{
	if (histogram->count)
		qsort(histogram->entries, histogram->count, sizeof(*histogram->entries),
		      compare_entries);
}

void histogram_free(struct histogram *histogram)
{
	free(histogram->entries);
	free(histogram->slots);
	*histogram = (struct histogram){ 0 };
}
