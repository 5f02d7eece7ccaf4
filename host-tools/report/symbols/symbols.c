/* SPDX-License-Identifier: MIT */
/* Turns addresses into function names. */
#include "host-tools/report/symbols/symbols.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/symbols/objects.h"
#include "host-tools/util/array.h"
#include "writer/perfdata/perf_file.h"
#include "writer/util/error.h"

#define MAX_MAPPINGS 65536U /* a lookup searches all mappings */
#define CACHE_SIZE   4096U  /* a power of two */

/* Made-up addresses, which no machine has. Each mapping, in the order in which the mappings were
 * added, has PAST_SIZE addresses for the time of the mapping, and as many for the time before it,
 * when nothing was mapped there. */
#define PAST      (1ULL << 62)
#define PAST_SIZE (1ULL << 44)
#define BEFORE    PAST_SIZE
_Static_assert(MAX_MAPPINGS <= (1ULL << 63) / (2 * PAST_SIZE), "all lie below the highest quarter");

struct mapping {
	uint64_t start, end; /* addresses */
	uint64_t file_offset;
	uint64_t time; /* ns, when it was mapped; 0: from the start */
	struct object *object;
};

struct cached {
	uint64_t address;
	const char *name; /* NULL: this entry is free */
	bool is_made_up;
};

struct symbols {
	struct objects objects;
	struct mapping *mappings;
	size_t count;
	bool is_full;  /* mappings were dropped, and this was reported */
	bool is_timed; /* a mapping was not there from the start */
	struct cached cache[CACHE_SIZE];
	char **made; /* names that make_name() made up */
	size_t made_count;
};

struct symbols *symbols_new(struct pe_search *search)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	elf_version(EV_CURRENT);
	if (symbols)
		symbols->objects.search = search;
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	objects_free(&symbols->objects);
	for (size_t i = 0; i < symbols->made_count; i++)
		free(symbols->made[i]);
	free(symbols->made);
	free(symbols->mappings);
	free(symbols);
}

void symbols_build_ids(struct symbols *symbols, const uint8_t *bytes, size_t size)
{
	objects_build_ids(&symbols->objects, bytes, size);
}

static bool has_room(struct symbols *symbols)
{
	if (symbols->count < MAX_MAPPINGS)
		return true;
	if (!symbols->is_full)
		say("more than %u mappings: the others are not known, and what lies there is called "
		    "by what lay there before",
		    MAX_MAPPINGS);
	symbols->is_full = true;
	return false;
}

/* Read an MMAP2 or MMAP record; the fields of MMAP are the first fields of MMAP2. False: the record
 * is not a whole mapping. */
static bool take_mapping(const struct perf_event_header *record, struct perf_record_mmap2 *mmap2,
                         char path[4096])
{
	size_t name = record->type == PERF_RECORD_MMAP2 ? sizeof(struct perf_record_mmap2)
	                                                : sizeof(struct perf_record_mmap);

	if ((record->type != PERF_RECORD_MMAP2 && record->type != PERF_RECORD_MMAP) ||
	    record->size <= name)
		return false;
	*mmap2 = (struct perf_record_mmap2){ 0 };
	memcpy(mmap2, record, name);
	if (record->type == PERF_RECORD_MMAP)
		mmap2->header.misc &= (uint16_t)~PERF_RECORD_MISC_MMAP_BUILD_ID;
	snprintf(path, 4096, "%.*s", (int)(record->size - name), (const char *)record + name);
	/* "[kernel.kallsyms]_text": cut off the name of the kernel's base symbol, which follows
	 * "]". */
	if (*path == '[' && strchr(path, ']'))
		strchr(path, ']')[1] = 0;
	return true;
}

void symbols_add(struct symbols *symbols, const struct perf_event_header *record, uint64_t time)
{
	struct perf_record_mmap2 mmap2;
	struct object *object;
	char path[4096];

	if (!take_mapping(record, &mmap2, path) || !has_room(symbols) ||
	    !ARRAY_ROOM(symbols->mappings, symbols->count))
		return;
	object = objects_find(&symbols->objects, &mmap2, path);
	if (!object)
		return;
	symbols->mappings[symbols->count++] =
	    (struct mapping){ mmap2.addr, mmap2.addr + mmap2.len, mmap2.pgoff, time, object };
	symbols->is_timed |= time > 0;
}

/* ---- Addresses ---- */

/* Find the latest mapping of an address at a time; it hides earlier mappings, as in memory. NULL:
 * unknown. */
static const struct mapping *latest_mapping(const struct symbols *symbols, uint64_t address,
                                            uint64_t time)
{
	const struct mapping *latest = NULL;

	for (size_t i = 0; i < symbols->count; i++) {
		const struct mapping *mapping = &symbols->mappings[i];

		if (address >= mapping->start && address < mapping->end && mapping->time <= time &&
		    (!latest || mapping->time >= latest->time))
			latest = mapping;
	}
	return latest;
}

/* Whether b is the same file, loaded again at the same place. */
static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->object == b->object && a->start == b->start && a->file_offset == b->file_offset;
}

uint64_t symbols_at(const struct symbols *symbols, uint64_t address, uint64_t time)
{
	const struct mapping *last, *then, *found = symbols->mappings;
	uint64_t key;

	if (!time || !symbols->is_timed)
		return address;
	last = latest_mapping(symbols, address, UINT64_MAX);
	if (!last || last->time <= time)
		return address;
	then = latest_mapping(symbols, address, time);
	if ((then && is_same(then, last)) || address - (then ? then : last)->start >= PAST_SIZE)
		return address;
	while (!is_same(found, then ? then : last))
		found++;
	key = PAST + 2 * PAST_SIZE * (uint64_t)(found - symbols->mappings);
	return key + (then ? 0 : BEFORE) + (address - found->start);
}

/* Get the number of the mapping that a made-up address belongs to. symbols->count: the address is
 * the machine's own. */
static uint64_t past_mapping(const struct symbols *symbols, uint64_t address)
{
	uint64_t number = (address - PAST) / (2 * PAST_SIZE);

	return address >= PAST && number < symbols->count ? number : symbols->count;
}

uint64_t symbols_real(const struct symbols *symbols, uint64_t address)
{
	uint64_t number = past_mapping(symbols, address);

	return number < symbols->count ? symbols->mappings[number].start + address % PAST_SIZE
	                               : address;
}

/* Find the mapping of an address, and the offset in the mapping. The address may be one from
 * symbols_at(). */
static const struct mapping *find_mapping(const struct symbols *symbols, uint64_t address,
                                          uint64_t *offset)
{
	uint64_t number = past_mapping(symbols, address), real = symbols_real(symbols, address);
	const struct mapping *mapping = NULL;

	if (number == symbols->count)
		mapping = latest_mapping(symbols, real, UINT64_MAX);
	else if (!(address & BEFORE))
		mapping = &symbols->mappings[number];
	*offset = real - (mapping ? mapping->start : 0);
	return mapping;
}

/* Make a name for an address without a function; it is kept until symbols_free(). */
static const char *make_name(struct symbols *symbols, uint64_t address)
{
	uint64_t offset;
	const struct mapping *mapping = find_mapping(symbols, address, &offset);
	const struct object *object = mapping ? mapping->object : NULL;
	const char *file = !object ? "" : object->module ? object->module : object->file;
	char *name = NULL;

	if (!array_room(&symbols->made, symbols->made_count, sizeof(char *)) ||
	    asprintf(&name, mapping ? "%s+0x%llx" : "%s0x%llx", file, (unsigned long long)offset) <
	        0)
		return "?";
	symbols->made[symbols->made_count++] = name;
	return name;
}

struct symbol symbols_find(const struct symbols *symbols, uint64_t address)
{
	uint64_t offset;
	const struct mapping *mapping = find_mapping(symbols, address, &offset);
	const struct function *function;

	if (!mapping)
		return (struct symbol){ .offset = offset };
	offset += mapping->file_offset;
	function = elf_functions_find(&mapping->object->functions, offset);
	return (struct symbol){ mapping->object->file, mapping->object->module,
		                function ? function->name : NULL, offset,
		                function && function->is_cold };
}

const char *symbols_elf(const struct symbols *symbols, uint64_t address)
{
	uint64_t offset;
	const struct mapping *mapping = find_mapping(symbols, address, &offset);

	return mapping ? mapping->object->path : NULL;
}

bool symbols_mapping(const struct symbols *symbols, size_t number, struct symbol_mapping *mapping)
{
	const struct mapping *found = symbols->mappings + number;

	if (number >= symbols->count)
		return false;
	*mapping = (struct symbol_mapping){ found->object->file, found->object->path, found->start,
		                            found->end, found->file_offset };
	return true;
}

bool symbols_function(const struct symbols *symbols, size_t mapping, size_t number,
                      struct symbol *function)
{
	const struct object *of = symbols->mappings[mapping].object;

	if (number >= of->functions.count)
		return false;
	*function = (struct symbol){ of->file, of->module, of->functions.all[number].name,
		                     of->functions.all[number].offset,
		                     of->functions.all[number].is_cold };
	return true;
}

bool symbols_code(const struct symbols *symbols, uint64_t address, struct symbol_code *code)
{
	uint64_t offset;
	const struct mapping *mapping = find_mapping(symbols, address, &offset);
	const struct function *function;

	if (!mapping || !mapping->object->path)
		return false;
	offset += mapping->file_offset;
	function = elf_functions_find(&mapping->object->functions, offset);
	if (!function)
		return false;
	*code = (struct symbol_code){
		.path = mapping->object->path,
		.offset = function->offset,
		.size = elf_functions_reach(&mapping->object->functions, function),
		.address = symbols_real(symbols, address) - (offset - function->offset),
	};
	return true;
}

/* Get the cache entry of an address; its name is NULL if the function is unknown. */
static struct cached *look_up(struct symbols *symbols, uint64_t address)
{
	uint64_t slot = (address * 0x9e3779b97f4a7c15ULL) >> 52 & (CACHE_SIZE - 1);
	struct cached *cached = &symbols->cache[slot];

	if (!cached->name || cached->address != address)
		*cached = (struct cached){ address, symbols_find(symbols, address).name, false };
	return cached;
}

const char *symbols_known(struct symbols *symbols, uint64_t address)
{
	const struct cached *cached = symbols ? look_up(symbols, address) : NULL;

	return cached && !cached->is_made_up ? cached->name : NULL;
}

const char *symbols_name(struct symbols *symbols, uint64_t address)
{
	struct cached *cached = look_up(symbols, address);

	if (!cached->name) {
		cached->name = make_name(symbols, address);
		cached->is_made_up = true;
	}
	return cached->name;
}
