/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/source_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/symbols/lines.h"
#include "host-tools/util/array.h"

static void forget(struct source_text_file *file)
{
	for (uint32_t i = 0; i < file->count; i++)
		free(file->lines[i]);
	free(file->lines);
	*file = (struct source_text_file){ 0 };
}

static void read_lines(struct source_text_file *file, FILE *in)
{
	size_t room = 0, used = 0;
	char *text = NULL;
	ssize_t size;

	while ((size = getline(&text, &room, in)) >= 0) {
		used += (size_t)size;
		if (used > SOURCE_TEXT_MOST ||
		    !array_room(&file->lines, file->count, sizeof(char *)))
			break;
		text[strcspn(text, "\r\n")] = 0;
		file->lines[file->count] = strdup(text);
		file->count += !!file->lines[file->count];
	}
	free(text);
}

static struct source_text_file *open_file(struct source_text *text, const char *path,
                                          const char *elf)
{
	struct source_text_file *file = &text->files[text->next++ % SOURCE_TEXT_FILES];
	FILE *in = lines_is_same(path, elf) ? fopen(path, "r") : NULL;

	forget(file);
	file->path = path;
	if (in) {
		read_lines(file, in);
		fclose(in);
	}
	return file;
}

const char *source_text_line(struct source_text *text, const char *path, const char *elf,
                             uint32_t line)
{
	struct source_text_file *file = NULL;

	for (uint32_t i = 0; i < SOURCE_TEXT_FILES; i++) {
		if (text->files[i].path == path)
			file = &text->files[i];
	}
	if (!file)
		file = open_file(text, path, elf);
	return line && line <= file->count ? file->lines[line - 1] : NULL;
}

void source_text_free(struct source_text *text)
{
	for (uint32_t i = 0; i < SOURCE_TEXT_FILES; i++)
		forget(&text->files[i]);
	text->next = 0;
}
