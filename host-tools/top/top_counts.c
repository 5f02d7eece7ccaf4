/* SPDX-License-Identifier: MIT */
#include "host-tools/top/top_counts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN 0x9e3779b97f4a7c15ULL /* 2^64 / golden ratio: spreads similar values */

int top_counts_open(struct top_counts *counts, uint32_t most, uint32_t events)
{
	*counts = (struct top_counts){ .most = most, .events = events };
	counts->places = calloc(most, sizeof(*counts->places));
	counts->slots = calloc(2UL * most, sizeof(*counts->slots));
	counts->others = calloc(events ? events : 1, sizeof(*counts->others));
	top_counts_clear(counts);
	return counts->places && counts->slots && counts->others ? 0 : -ENOMEM;
}

void top_counts_clear(struct top_counts *counts)
{
	if (counts->slots)
		memset(counts->slots, 0, 2UL * counts->most * sizeof(*counts->slots));
	for (uint32_t i = 0; counts->others && i < counts->events; i++)
		counts->others[i] =
		    (struct top_place){ .address = TOP_NOWHERE, .event = i, .level = '?' };
	counts->count = 0;
	counts->weight = counts->samples = counts->coarse = counts->placeless = 0;
}

void top_counts_close(struct top_counts *counts)
{
	free(counts->places);
	free(counts->slots);
	free(counts->others);
	*counts = (struct top_counts){ 0 };
}

static bool is_same(const struct top_place *a, const struct top_place *b)
{
	return a->address == b->address && a->event == b->event && a->level == b->level;
}

/* Returns the slot that holds the place, or the free slot for it. At least half of the slots stay
 * free. */
static uint32_t *find_slot(const struct top_counts *counts, const struct top_place *place)
{
	uint64_t hash =
	    ((place->address * GOLDEN) ^ place->event ^ (uint64_t)(uint8_t)place->level << 32) *
	    GOLDEN;
	uint32_t mask = 2 * counts->most - 1;

	for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
		uint32_t *slot = &counts->slots[at & mask];

		if (!*slot || is_same(&counts->places[*slot - 1], place))
			return slot;
	}
}

/* Returns the place's number, from 1. Adds a new place if fewer than limit exist; else returns 0.
 */
static uint32_t number_of(struct top_counts *counts, const struct top_place *sample, uint32_t limit)
{
	uint32_t *slot = find_slot(counts, sample);

	if (!*slot && counts->count < limit) {
		counts->places[counts->count] = *sample;
		counts->places[counts->count].weight = counts->places[counts->count].samples = 0;
		*slot = ++counts->count;
	}
	return *slot;
}

void top_counts_add(struct top_counts *counts, const struct top_place *sample,
                    top_counts_function function, void *context)
{
	uint32_t number = number_of(counts, sample, counts->most / 4 * 3);
	struct top_place coarse = *sample, *place;

	if (!number) {
		coarse.address = function(context, sample->address);
		if (coarse.address != TOP_NOWHERE)
			number = number_of(counts, &coarse, counts->most);
		counts->coarse += number != 0;
		counts->placeless += !number;
	}
	place = number ? &counts->places[number - 1] : &counts->others[sample->event];
	place->weight += sample->weight;
	place->samples += sample->samples;
	counts->weight += sample->weight;
	counts->samples += sample->samples;
}

uint32_t top_counts_places(const struct top_counts *counts)
{
	return counts->count + counts->events;
}

const struct top_place *top_counts_place(const struct top_counts *counts, uint32_t i)
{
	return i < counts->count ? &counts->places[i] : &counts->others[i - counts->count];
}
