/* SPDX-License-Identifier: MIT */
#include "host-tools/report/places.h"

#include <stdlib.h>

#include "host-tools/report/frames.h"

static bool make_room(struct places *places)
{
	uint32_t wanted = places->addresses.slot_count / 2; /* as many as it may number */
	uint32_t *found;

	if (places->found_room == wanted)
		return true;
	found = realloc(places->found, wanted * sizeof(*found));
	if (!found)
		return false;
	places->found = found;
	places->found_room = wanted;
	return true;
}

static uint32_t function_at(struct places *places, uint64_t address)
{
	uint32_t seen = places->addresses.count;
	uint32_t number = intern(&places->addresses, address, 0);
	struct symbol symbol;

	if (number == INTERN_NONE || !make_room(places))
		return INTERN_NONE;
	if (number == seen) {
		symbol = symbols_find(places->symbols, address);
		places->found[number] =
		    intern(&places->functions, (uintptr_t)symbol.file, (uintptr_t)symbol.name);
	}
	return places->found[number];
}

uint32_t places_add(struct places *places, const struct sample *sample)
{
	uint64_t frames[FRAMES_MAX];
	uint32_t count = frames_of(sample, frames);
	uint32_t node = INTERN_NONE; /* + 1: 0, the root's parent */

	for (uint32_t i = 0; i < count; i++) {
		uint32_t function = function_at(places, frames[i]);

		if (function == INTERN_NONE)
			return INTERN_NONE;
		node = intern(&places->nodes, node + 1, function);
		if (node == INTERN_NONE)
			return INTERN_NONE;
	}
	return intern(&places->places, node, frames[count - 1]);
}

const char *places_file(const struct places *places, uint32_t function)
{
	return (const char *)(uintptr_t)places->functions.keys[function].a;
}

const char *places_function(const struct places *places, uint32_t function)
{
	return (const char *)(uintptr_t)places->functions.keys[function].b;
}

void places_free(struct places *places)
{
	intern_free(&places->functions);
	intern_free(&places->nodes);
	intern_free(&places->places);
	intern_free(&places->addresses);
	free(places->found);
}
