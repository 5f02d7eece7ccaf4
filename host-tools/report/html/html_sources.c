/* SPDX-License-Identifier: MIT */
#include "host-tools/report/html/html_sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/html/html_json.h"
#include "host-tools/report/series.h"
#include "host-tools/util/array.h"

#define AROUND    5U       /* lines to keep before and behind a sampled line */
#define MOST_LINE 1000000U /* most lines of a source file with text */
#define MOST_TEXT (4U << 20)

struct html_source {
	const char *path;
	const char *elf;  /* ELF file that was compiled from the source */
	uint8_t *sampled; /* indexed by line: 1 if sampled */
	uint32_t most;    /* size of sampled */
};

static void note_line(struct html_source *source, uint32_t line)
{
	if (line <= MOST_LINE && ARRAY_REACH(source->sampled, source->most, line))
		source->sampled[line] = 1;
}

/* Mark a line as sampled. Returns the number of its source file; INTERN_NONE: memory ran out. */
static uint32_t note(struct html_sources *sources, const struct line *line, const char *elf)
{
	uint32_t seen = sources->files.count;
	uint32_t number = intern(&sources->files, (uintptr_t)line->file, 0);

	if (number == INTERN_NONE)
		return number;
	if (number == seen) {
		if (!ARRAY_ROOM(sources->sources, seen))
			return INTERN_NONE;
		sources->sources[seen] = (struct html_source){ .path = line->file, .elf = elf };
	}
	note_line(&sources->sources[number], line->number);
	return number;
}

int html_sources_of(struct html_sources *sources, const struct places *places, struct blob *blob)
{
	struct blob numbers = { 0 };
	uint32_t before = 0, number = 0;

	for (uint32_t i = 0; i < places->places.count && number != INTERN_NONE; i++) {
		uint64_t address = places->places.keys[i].b;
		const char *elf = symbols_elf(places->symbols, address);
		struct line line = { 0 };

		if (elf)
			line = lines_at(&sources->lines, elf,
			                symbols_find(places->symbols, address).offset);
		number = line.file ? note(sources, &line, elf) : 0;
		series_number(blob, line.file ? number + 1ULL : 0);
		series_signed(&numbers, (uint64_t)line.number - before);
		before = line.number;
	}
	blob_add(blob, numbers.bytes, numbers.size);
	blob->failed |= numbers.failed || number == INTERN_NONE;
	blob_free(&numbers);
	return blob->failed ? -ENOMEM : 0;
}

/* ---- Text ---- */

static bool is_wanted(const struct html_source *source, uint32_t line)
{
	uint32_t first = line > AROUND ? line - AROUND : 0;

	for (uint32_t i = first; i < source->most && i <= line + AROUND; i++) {
		if (source->sampled[i])
			return true;
	}
	return false;
}

static json_t *text_of(const struct html_source *source, size_t *left)
{
	FILE *in = lines_is_same(source->path, source->elf) ? fopen(source->path, "r") : NULL;
	json_t *lines = json_object();
	char *text = NULL, key[16];
	size_t room = 0;
	ssize_t size;

	for (uint32_t number = 1; in && number < source->most + AROUND; number++) {
		size = getline(&text, &room, in);
		if (size < 0 || (size_t)size > *left)
			break;
		if (!is_wanted(source, number))
			continue;
		*left -= (size_t)size;
		text[strcspn(text, "\r\n")] = 0;
		snprintf(key, sizeof(key), "%u", number);
		json_object_set_new(lines, key, html_text(text));
	}
	free(text);
	if (in)
		fclose(in);
	return lines;
}

json_t *html_sources_json(const struct html_sources *sources)
{
	json_t *list = json_array();
	size_t left = MOST_TEXT;

	for (uint32_t i = 0; i < sources->files.count; i++) {
		const struct html_source *source = &sources->sources[i];

		json_array_append_new(
		    list, json_pack("[oo]", html_text(source->path), text_of(source, &left)));
	}
	return list;
}

void html_sources_free(struct html_sources *sources)
{
	for (uint32_t i = 0; i < sources->files.count; i++)
		free(sources->sources[i].sampled);
	free(sources->sources);
	intern_free(&sources->files);
	lines_free(&sources->lines);
}
