/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/inlines.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/symbols/elf_functions.h"
#include "host-tools/report/texts.h"
#include "host-tools/util/array.h"

struct inlined {
	const char **names;
	uint32_t count;
};

/* Get the stored text for a name from DWARF; equal names have the same pointer. NULL: memory is
 * short. */
static const char *text_of(struct inlines *inlines, const char *name)
{
	char *plain = elf_functions_plain(name), *text = NULL;

	if (!plain || asprintf(&text, "%s (inlined)", plain) < 0)
		text = NULL;
	free(plain);
	return texts_keep(&inlines->names, text);
}

static struct inlined look_up(struct inlines *inlines, const char *path, uint64_t offset)
{
	struct lines_call calls[LINES_INLINED];
	struct inlined inlined = { .count = lines_inlined(&inlines->lines, path, offset, calls) };

	if (inlined.count)
		inlined.names = calloc(inlined.count, sizeof(*inlined.names));
	if (!inlined.names)
		return (struct inlined){ 0 };
	for (uint32_t i = 0; i < inlined.count; i++) {
		inlined.names[i] = text_of(inlines, calls[i].name);
		if (!inlined.names[i])
			inlined.count = i;
	}
	return inlined;
}

uint32_t inlines_find(struct inlines *inlines, const char *path, uint64_t offset,
                      const char *names[LINES_INLINED])
{
	uint32_t seen = inlines->offsets.count, number;
	const struct inlined *found;

	if (!path)
		return 0;
	number = intern(&inlines->offsets, (uintptr_t)path, offset);
	if (number == INTERN_NONE || !ARRAY_REACH(inlines->found, inlines->found_room, number))
		return 0;
	if (number == seen)
		inlines->found[number] = look_up(inlines, path, offset);
	found = &inlines->found[number];
	if (found->count)
		memcpy(names, found->names, found->count * sizeof(*names));
	return found->count;
}

void inlines_free(struct inlines *inlines)
{
	for (uint32_t i = 0; i < inlines->offsets.count && i < inlines->found_room; i++)
		free(inlines->found[i].names);
	free(inlines->found);
	intern_free(&inlines->offsets);
	tdestroy(inlines->names, free);
	lines_free(&inlines->lines);
	*inlines = (struct inlines){ 0 };
}
