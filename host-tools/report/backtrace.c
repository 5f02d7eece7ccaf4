/* SPDX-License-Identifier: MIT */
#include "host-tools/report/backtrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/frames.h"
#include "host-tools/report/symbols/elf_functions.h"
#include "host-tools/report/symbols/lines.h"
#include "host-tools/util/put_text.h"

struct backtrace {
	struct symbols *symbols;
	struct lines lines;
	FILE *out;
	unsigned number;
};

static void put_frame(struct backtrace *b, const char *name, const char *remark,
                      const struct line *line)
{
	const char *slash = line->file ? strrchr(line->file, '/') : NULL;

	fprintf(b->out, "  #%-2u ", b->number++);
	put_text(b->out, name, SIZE_MAX, '?', "");
	fputs(remark, b->out);
	if (line->file)
		fprintf(b->out, " %s:%" PRIu32, slash ? slash + 1 : line->file, line->number);
	fputc('\n', b->out);
}

/* Print the functions inlined at an address, then the function itself. Each is printed with the
 * line at which it calls the one before. */
static void put_address(struct backtrace *b, uint64_t address)
{
	const char *path = symbols_elf(b->symbols, address);
	uint64_t offset = symbols_find(b->symbols, address).offset;
	struct lines_call calls[LINES_INLINED];
	struct line line = { 0 };
	uint32_t count = 0;

	if (path) {
		line = lines_at(&b->lines, path, offset);
		count = lines_inlined(&b->lines, path, offset, calls);
	}
	for (uint32_t i = 0; i < count; i++) {
		char *name = elf_functions_plain(calls[i].name);

		put_frame(b, name ? name : calls[i].name, " (inlined)", &line);
		free(name);
		line = calls[i].line;
	}
	put_frame(b, symbols_name(b->symbols, address), "", &line);
}

void backtrace_print(struct symbols *symbols, const uint64_t *addresses, uint32_t count, bool all,
                     FILE *out)
{
	struct backtrace b = { .symbols = symbols, .out = out };
	uint64_t frames[FRAMES_MAX]; /* the outermost first, as frames_ours() needs them */
	uint32_t ours;

	for (uint32_t i = 0; i < count; i++)
		frames[count - 1 - i] = addresses[i] - (i && addresses[i]);
	ours = all || !count ? 0 : frames_ours(symbols, frames, count);
	for (uint32_t i = count; i > ours; i--)
		put_address(&b, frames[i - 1]);
	lines_free(&b.lines);
}
