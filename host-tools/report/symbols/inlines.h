/* SPDX-License-Identifier: MIT */
/* Finds inlined functions by DWARF. Thread: the thread that created the struct. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_INLINES_H
#define HOST_TOOLS_REPORT_SYMBOLS_INLINES_H

#include "host-tools/report/intern.h"
#include "host-tools/report/symbols/lines.h"

struct inlines {
	struct lines lines;
	struct intern offsets; /* addresses that were looked up before; a: path, b: offset */
	struct inlined *found; /* by number in offsets */
	uint32_t found_room;
	void *names; /* tsearch() tree: each name once */
};

/* Find the functions that are inlined at this offset of the ELF file at path. names get them as
 * perf writes them, "leaf (inlined)", the innermost first. Equal names have the same pointer, valid
 * until inlines_free(). Equal paths must be equal pointers, too; path may be NULL: no file. Returns
 * the number of names. */
uint32_t inlines_find(struct inlines *inlines, const char *path, uint64_t offset,
                      const char *names[LINES_INLINED]);

void inlines_free(struct inlines *inlines);

#endif
