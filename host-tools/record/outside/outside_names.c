/* SPDX-License-Identifier: MIT */
#include "host-tools/record/outside/outside_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FARTHEST (1ULL << 30) /* bytes from the first function to the last */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A line "ffffffff81000000 T _stext[\t[module]]". False: it is none. */
static bool parse_line(struct outside_name *entry, char *type, bool *is_module, const char *line,
                       size_t size)
{
	size_t at = 0, end;

	*entry = (struct outside_name){ 0 };
	for (; at < size && digit(line[at]) >= 0 && at < 16; at++)
		entry->address = entry->address << 4 | (uint64_t)digit(line[at]);
	if (!at || at + 3 >= size || line[at] != ' ' || line[at + 2] != ' ')
		return false;
	*type = line[at + 1];
	at += 3;
	for (end = at; end < size && line[end] > ' ' && line[end] < 0x7f; end++)
		;
	if (end < size && line[end] != '\t' && line[end] != ' ')
		return false;
	*is_module = end < size;
	entry->name = line + at;
	entry->length = end - at;
	return end > at;
}

bool outside_names_are_meant(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);
	struct outside_name entry;
	bool is_module;
	char type;

	return end && parse_line(&entry, &type, &is_module, text, (size_t)(end - text));
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static int add_name(struct outside_names *names, size_t *room, const struct outside_name *entry)
{
	if (names->count == *room) {
		size_t wanted = *room ? 2 * *room : 4096;
		struct outside_name *all = reallocarray(names->all, wanted, sizeof(*all));

		if (!all)
			return -ENOMEM;
		names->all = all;
		*room = wanted;
	}
	names->all[names->count++] = *entry;
	return 0;
}

static int collect(struct outside_names *names, const char *text, size_t size, struct error *error)
{
	const char *end = text + size;
	size_t room = 0;
	unsigned line = 0;

	for (const char *at = text; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((stop ? stop : end) - at);
		struct outside_name entry;
		bool is_module;
		char type;

		line++;
		if (length && !parse_line(&entry, &type, &is_module, at, length))
			return error_set(error, -EPROTO, "line %u is no symbol: %.*s", line,
			                 length < 60 ? (int)length : 60, at);
		if (length && is_code(type) && !is_module && entry.address &&
		    add_name(names, &room, &entry))
			return error_set(error, -ENOMEM, "no memory for its symbols");
		at += length + 1;
	}
	return 0;
}

/* By address; of one address, the first in the text. */
static int compare(const void *left, const void *right)
{
	const struct outside_name *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void sort_names(struct outside_names *names)
{
	size_t kept = 0;

	qsort(names->all, names->count, sizeof(*names->all), compare);
	for (size_t i = 0; i < names->count; i++) {
		if (!kept || names->all[kept - 1].address != names->all[i].address)
			names->all[kept++] = names->all[i];
	}
	names->count = kept;
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash(uint64_t value, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		value = (value ^ (uint8_t)text[i]) * 0x100000001b3ULL;
	return value;
}

static void set_build_id(struct tr_image *image, const char *text, size_t size)
{
	const uint64_t words[2] = { hash(0xcbf29ce484222325ULL, text, size), hash(1, text, size) };
	const uint32_t length = (uint32_t)size;

	image->build_id_size = sizeof(image->build_id);
	memcpy(image->build_id, words, sizeof(words));
	memcpy(image->build_id + sizeof(words), &length, sizeof(length));
}

static int set_image(struct outside_names *names, struct error *error)
{
	const struct outside_name *first = names->all, *last = names->all + names->count - 1;
	uint64_t start = first->address / TR_PAGE * TR_PAGE;

	if (last->address - start > FARTHEST || last->address >= -(uint64_t)TR_PAGE)
		return error_set(error, -ERANGE,
		                 "its functions lie from 0x%llx to 0x%llx: too far apart for one "
		                 "kernel",
		                 (unsigned long long)first->address,
		                 (unsigned long long)last->address);
	for (size_t i = 0; i + 1 < names->count; i++)
		names->all[i].size = names->all[i + 1].address - names->all[i].address;
	names->all[names->count - 1].size = TR_PAGE - last->address % TR_PAGE;
	names->image.address = names->image.link_address = start;
	names->image.size = last->address / TR_PAGE * TR_PAGE + TR_PAGE - start;
	return 0;
}

int outside_names_parse(struct outside_names *names, const char *text, size_t size,
                        struct error *error)
{
	int code = collect(names, text, size, error);

	if (code)
		return code;
	if (!names->count)
		return error_set(error, -ENODATA,
		                 "it has no function with an address. /proc/kallsyms shows "
		                 "addresses to root, if kernel.kptr_restrict is 0 or 1");
	sort_names(names);
	set_build_id(&names->image, text, size);
	return set_image(names, error);
}

void outside_names_free(struct outside_names *names)
{
	free(names->all);
	*names = (struct outside_names){ 0 };
}
