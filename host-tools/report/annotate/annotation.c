/* SPDX-License-Identifier: MIT */
#include "host-tools/report/annotate/annotation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/symbols/disassembly.h"
#include "host-tools/report/symbols/source_text.h"
#include "host-tools/util/array.h"
#include "writer/util/printable.h"

struct making {
	struct annotation *annotation;
	struct lines *lines;
	struct source_text source;
	const struct symbol_code *function;
	const struct annotation_place *next, *end; /* places without an instruction so far */
	struct line last;
};

static int add_line(struct annotation *annotation, uint64_t address, const char *text)
{
	char *copy = strdup(text);

	if (!copy || !ARRAY_ROOM(annotation->lines, annotation->count)) {
		free(copy);
		return -ENOMEM;
	}
	for (char *tab = copy; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	printable_make(copy);
	annotation->lines[annotation->count++] =
	    (struct annotation_line){ .address = address, .text = copy };
	return 0;
}

/* Add the source line of an address, if it differs from the last one. */
static int add_source(struct making *making, uint64_t address)
{
	const struct symbol_code *function = making->function;
	struct line line = lines_at(making->lines, function->path,
	                            function->offset + (address - function->address));
	const char *slash = line.file ? strrchr(line.file, '/') : NULL, *text;
	char place[512];
	int code = 0;

	if (!line.file || (line.file == making->last.file && line.number == making->last.number))
		return 0;
	making->last = line;
	snprintf(place, sizeof(place), "%s:%" PRIu32, slash ? slash + 1 : line.file, line.number);
	text = source_text_line(&making->source, line.file, function->path, line.number);
	code = add_line(making->annotation, 0, place);
	return code || !text ? code : add_line(making->annotation, 0, text);
}

static int add_instruction(void *context, uint64_t address, uint16_t size, const char *text)
{
	struct making *making = context;
	int code = add_source(making, address);
	struct annotation_line *line;

	if (!code)
		code = add_line(making->annotation, address, text);
	if (code)
		return code;
	line = &making->annotation->lines[making->annotation->count - 1];
	for (; making->next < making->end && making->next->address < address + size;
	     making->next++) {
		line->weight += making->next->weight;
		line->samples += making->next->samples;
	}
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct annotation_place *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

void annotation_sort(struct annotation_place *places, size_t count)
{
	if (count)
		qsort(places, count, sizeof(*places), compare_places);
}

int annotation_make(struct annotation *annotation, struct lines *lines,
                    const struct symbol_code *function, const struct annotation_place *places,
                    size_t count)
{
	struct making making = { .annotation = annotation,
		                 .lines = lines,
		                 .function = function,
		                 .next = places,
		                 .end = places + count };
	uint64_t size = function->size ? function->size : UINT64_MAX - function->address;
	int code;

	*annotation = (struct annotation){ 0 };
	while (making.next < making.end && making.next->address < function->address)
		making.next++;
	while (making.end > making.next && (making.end - 1)->address - function->address >= size)
		making.end--;
	for (const struct annotation_place *place = making.next; place < making.end; place++) {
		annotation->weight += place->weight;
		annotation->samples += place->samples;
	}
	code = disassemble(function, add_instruction, &making);
	source_text_free(&making.source);
	return code;
}

double annotation_share(const struct annotation *annotation, const struct annotation_line *line)
{
	return annotation->weight ? 100.0 * (double)line->weight / (double)annotation->weight : 0;
}

void annotation_text(const struct annotation *annotation, const struct annotation_line *line,
                     char *text, size_t size)
{
	if (line->address)
		snprintf(text, size, "%9.2f :   %8" PRIx64 ":  %s",
		         annotation_share(annotation, line), line->address, line->text);
	else
		snprintf(text, size, "%9s : %s", "", line->text);
}

void annotation_print(const struct annotation *annotation, const char *name, const char *file,
                      const char *event, FILE *out)
{
	char text[1024];

	snprintf(text, sizeof(text),
	         "  Percent |  Source code & Disassembly of %.255s for %.255s (%" PRIu64
	         " samples, percent: local period)",
	         file, event, annotation->samples);
	printable_make(text);
	fprintf(out, "%s\n", text);
	for (size_t width = strlen(text); width; width--)
		fputc('-', out);
	snprintf(text, sizeof(text), "%9s : %s():", "", name);
	printable_make(text);
	fprintf(out, "\n%s\n", text);
	for (size_t i = 0; i < annotation->count; i++) {
		annotation_text(annotation, &annotation->lines[i], text, sizeof(text));
		fprintf(out, "%s\n", text);
	}
	fputc('\n', out);
}

void annotation_free(struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->count; i++)
		free(annotation->lines[i].text);
	free(annotation->lines);
	*annotation = (struct annotation){ 0 };
}
