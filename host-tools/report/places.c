/* SPDX-License-Identifier: MIT */
#include "host-tools/report/places.h"

#include <stdlib.h>

#include "host-tools/report/frames.h"
#include "host-tools/util/array.h"

/* Find the functions at an address that was not looked up before. Returns a chain, in which each
 * function is inlined in the one before. */
static uint32_t find_chain(struct places *places, uint64_t address)
{
	struct symbol symbol = symbols_find(places->symbols, address);
	uint32_t chain = INTERN_NONE, function, count = 0;
	const char *names[LINES_INLINED] = { NULL }; /* cppcheck cannot follow the count */

	if (places->inlines)
		count = inlines_find(places->inlines, symbols_elf(places->symbols, address),
		                     symbol.offset, names);
	for (uint32_t i = 0; i <= count; i++) {
		const char *name = i ? names[count - i] : symbol.name;

		function = intern(&places->functions, (uintptr_t)symbol.file, (uintptr_t)name);
		chain = intern(&places->chains, i ? chain + 1ULL : 0, function);
		if (function == INTERN_NONE || chain == INTERN_NONE)
			return INTERN_NONE;
	}
	return chain;
}

static uint32_t chain_at(struct places *places, uint64_t address)
{
	uint32_t seen = places->addresses.count;
	uint32_t number = intern(&places->addresses, address, 0);

	if (number == INTERN_NONE || !ARRAY_REACH(places->found, places->found_room, number))
		return INTERN_NONE;
	if (number == seen)
		places->found[number] = find_chain(places, address);
	return places->found[number];
}

/* Add the functions at an address below a node. Returns the last new node; INTERN_NONE: memory is
 * short. */
static uint32_t add_frame(struct places *places, uint32_t node, uint64_t address)
{
	uint32_t functions[LINES_INLINED + 1], count = 0, chain = chain_at(places, address);

	if (chain == INTERN_NONE)
		return INTERN_NONE;
	for (uint64_t at = chain + 1ULL; at; at = places->chains.keys[at - 1].a)
		functions[count++] = (uint32_t)places->chains.keys[at - 1].b;
	while (count--) {
		node = intern(&places->nodes, node + 1, functions[count]);
		if (node == INTERN_NONE)
			return INTERN_NONE;
	}
	return node;
}

/*
 * Add count frames, the outermost first. Returns the node of the last frame; INTERN_NONE: count is
 * 0, or memory ran out.
 *
 * 1: 0, the root's parent => + 1 is 0: the parent of the root
 */
static uint32_t add_frames(struct places *places, const uint64_t *frames, uint32_t count)
{
	uint32_t node = INTERN_NONE; /* + 1: 0, the root's parent */

	for (uint32_t i = 0; i < count; i++) {
		node = add_frame(places, node, frames[i]);
		if (node == INTERN_NONE)
			break;
	}
	return node;
}

/* Mark the nodes of bareperf's own frames above main(). Called only for a stack with new nodes; the
 * nodes of all other stacks are already marked. */
static bool mark_ours(struct places *places, const uint64_t *frames, uint32_t count)
{
	uint32_t ours = frames_ours(places->symbols, frames, count);
	uint32_t node = add_frames(places, frames, ours);

	if (!ARRAY_REACH(places->ours, places->ours_room, places->nodes.count))
		return false;
	while (node != INTERN_NONE && !places->ours[node]) {
		places->ours[node] = true;
		node = (uint32_t)places->nodes.keys[node].a - 1;
	}
	return true;
}

uint32_t places_add(struct places *places, const struct sample *sample)
{
	uint64_t frames[FRAMES_MAX];
	uint32_t count = frames_then(places->symbols, sample, frames);
	uint32_t first = places->all_frames ? 0 : frames_ours(places->symbols, frames, count);
	uint32_t known = places->nodes.count;
	uint32_t node = add_frames(places, frames + first, count - first);

	if (node == INTERN_NONE)
		return INTERN_NONE;
	if (places->all_frames && places->nodes.count != known && !mark_ours(places, frames, count))
		return INTERN_NONE;
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
	intern_free(&places->chains);
	free(places->ours);
	free(places->found);
}
