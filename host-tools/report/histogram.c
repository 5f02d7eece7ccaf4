/* SPDX-License-Identifier: MIT */
#include "host-tools/report/histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/util/array.h"

bool histogram_is_key(const struct histogram_key *a, const struct histogram_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

int histogram_add(struct histogram *histogram, const struct histogram_key *key, uint64_t weight)
{
	return histogram_add_all(histogram, key, weight, 1);
}

int histogram_add_all(struct histogram *histogram, const struct histogram_key *key, uint64_t weight,
                      uint64_t samples)
{
	uint32_t number = intern_any(&histogram->keys, key, sizeof(*key));
	struct histogram_entry *entry;

	if (number == INTERN_NONE || !ARRAY_REACH(histogram->entries, histogram->room, number))
		return -ENOMEM;
	histogram->count = histogram->keys.count;
	entry = &histogram->entries[number];
	entry->key = *key;
	entry->weight += weight;
	entry->samples += samples;
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
	intern_free(&histogram->keys);
	*histogram = (struct histogram){ 0 };
}
