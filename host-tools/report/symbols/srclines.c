/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/srclines.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/texts.h"
#include "host-tools/util/array.h"

static char *make_text(struct srclines *srclines, uint64_t address)
{
	const char *elf = symbols_elf(srclines->symbols, address), *slash;
	struct symbol symbol = symbols_find(srclines->symbols, address);
	struct line line = { 0 };
	char *text = NULL;
	int length;

	if (elf)
		line = lines_at(&srclines->lines, elf, symbol.offset);
	slash = line.file ? strrchr(line.file, '/') : NULL;
	if (line.file)
		length = asprintf(&text, "%s:%" PRIu32, slash ? slash + 1 : line.file, line.number);
	else
		length = asprintf(&text, "%s[%" PRIx64 "]", symbol.file ? symbol.file : "[unknown]",
		                  symbol.offset);
	return length < 0 ? NULL : text;
}

const char *srclines_find(struct srclines *srclines, uint64_t address)
{
	uint32_t seen = srclines->addresses.count,
	         number = intern(&srclines->addresses, address, 0);

	if (number == INTERN_NONE || !ARRAY_REACH(srclines->found, srclines->found_room, number))
		return NULL;
	if (number == seen)
		srclines->found[number] =
		    texts_keep(&srclines->texts, make_text(srclines, address));
	return srclines->found[number];
}

void srclines_free(struct srclines *srclines)
{
	free(srclines->found);
	intern_free(&srclines->addresses);
	tdestroy(srclines->texts, free);
	lines_free(&srclines->lines);
	*srclines = (struct srclines){ 0 };
}
