/* SPDX-License-Identifier: MIT */
#include "agent/report/modules.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* addresses with a weight of their own, a power of two; others count for their module only */
#define SPOTS         4096U
#define MMAP2_NAME    72U /* the offset of a record's name (perf_event_open(2)) */
#define UNLOADED_NAME "//anon"

struct module_place {
	uint64_t start, end;
	size_t module;
};

/* An address in a module. weight 0: a free entry. */
struct module_spot {
	size_t module;
	uint64_t offset, weight;
};

static uint64_t modules_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Make room for one more entry. Returns whether there is room. */
static bool modules_grow(void **list, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return true;
	grown = count < MODULES_MAX ? realloc(*list, more * size) : NULL;
	if (!grown)
		return false;
	*list = grown;
	*room = more;
	return true;
}

/* ---- Images ---- */

static void modules_copy_name(char *to, const char *name, size_t size)
{
	size_t start = 0, end = 0, length = 0;

	for (; end < size && name[end]; end++)
		if (name[end] == '/' || name[end] == '\\')
			start = end + 1;
	for (; start < end && length + 1 < MODULES_NAME_ROOM; start++)
		to[length++] = (char)(name[start] >= ' ' && name[start] <= '~' ? name[start] : '?');
	to[length] = 0;
}

/* Two images of the same name are the same module. */
static bool modules_find(struct modules *modules, const char *name, size_t size, size_t *at)
{
	char file[MODULES_NAME_ROOM];
	void *list = modules->list;

	modules_copy_name(file, name, size);
	for (*at = 0; *at < modules->count; (*at)++)
		if (strcmp(modules->list[*at].name, file) == 0)
			return true;
	if (!modules_grow(&list, &modules->room, modules->count, sizeof(*modules->list)))
		return false;
	modules->list = list;
	modules->list[modules->count] = (struct module){ .weight = 0 };
	memcpy(modules->list[modules->count++].name, file, sizeof(file));
	return true;
}

static void modules_unmap(struct modules *modules, uint64_t start, uint64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < modules->nr_places; i++) {
		const struct module_place place = modules->places[i];

		if (place.start >= end || place.end <= start)
			modules->places[kept++] = place;
	}
	modules->nr_places = kept;
}

void modules_map(struct modules *modules, uint64_t start, uint64_t length, const char *name,
                 size_t size)
{
	uint64_t end = modules_sum(start, length);
	void *places = modules->places;
	size_t module;

	modules_unmap(modules, start, end);
	if (size >= sizeof(UNLOADED_NAME) &&
	    memcmp(name, UNLOADED_NAME, sizeof(UNLOADED_NAME)) == 0)
		return;
	if (!modules_find(modules, name, size, &module) ||
	    !modules_grow(&places, &modules->places_room, modules->nr_places,
	                  sizeof(*modules->places)))
		return;
	modules->places = places;
	modules->places[modules->nr_places++] = (struct module_place){ start, end, module };
}

void modules_map_by(struct modules *modules, const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;

	if (record->type == PERF_RECORD_MMAP2 && record->size > MMAP2_NAME)
		modules_map(modules, words[2], words[3], (const char *)record + MMAP2_NAME,
		            record->size - MMAP2_NAME);
}

/* ---- Samples ---- */

static void modules_weigh_spot(struct modules *modules, size_t module, uint64_t offset,
                               uint64_t weight)
{
	size_t at = (size_t)((offset ^ module << 7) * 0x9e3779b97f4a7c15ULL >> 32);

	if (!modules->spots)
		modules->spots = calloc(SPOTS, sizeof(*modules->spots));
	for (unsigned i = 0; modules->spots && weight && i < SPOTS; i++) {
		struct module_spot *spot = &modules->spots[(at + i) % SPOTS];

		if (spot->weight && (spot->module != module || spot->offset != offset))
			continue;
		*spot = (struct module_spot){ module, offset, modules_sum(spot->weight, weight) };
		return;
	}
}

/* Images do not overlap, so any order works. The image of this sample comes first, because the next
 * sample is probably there, too. */
static void modules_bring_forward(struct modules *modules, size_t i)
{
	const struct module_place place = modules->places[i];

	modules->places[i] = modules->places[0];
	modules->places[0] = place;
}

void modules_weigh(struct modules *modules, uint64_t address, uint64_t weight)
{
	for (size_t i = 0; i < modules->nr_places; i++) {
		const struct module_place *place = &modules->places[i];
		struct module *module = &modules->list[place->module];

		if (address < place->start || address >= place->end)
			continue;
		module->weight = modules_sum(module->weight, weight);
		modules_weigh_spot(modules, place->module, address - place->start, weight);
		modules_bring_forward(modules, i);
		return;
	}
}

static void modules_find_hottest_spots(struct modules *modules)
{
	for (unsigned i = 0; modules->spots && i < SPOTS; i++) {
		const struct module_spot *spot = &modules->spots[i];
		struct module *module = spot->weight ? &modules->list[spot->module] : NULL;

		if (!module || spot->weight < module->hottest_weight ||
		    (spot->weight == module->hottest_weight && spot->offset > module->hottest))
			continue;
		module->hottest = spot->offset;
		module->hottest_weight = spot->weight;
	}
}

size_t modules_hottest(struct modules *modules, const struct module **hottest, size_t most)
{
	size_t found = 0;

	modules_find_hottest_spots(modules);
	for (size_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->list[i];
		size_t at = found;

		while (at > 0 && hottest[at - 1]->weight < module->weight)
			at--;
		if (at == most || module->weight == 0)
			continue;
		found += found < most;
		for (size_t to = found - 1; to > at; to--)
			hottest[to] = hottest[to - 1];
		hottest[at] = module;
	}
	return found;
}

void modules_free(struct modules *modules)
{
	free(modules->list);
	free(modules->places);
	free(modules->spots);
	*modules = (struct modules){ 0 };
}
