/* SPDX-License-Identifier: MIT */
/* Functions without code of their own: what the compiler has inlined, by DWARF. Thread: the one
 * that made it. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_INLINES_H
#define HOST_TOOLS_REPORT_SYMBOLS_INLINES_H

#include "host-tools/report/intern.h"
#include "host-tools/report/symbols/lines.h"

struct inlines {
	struct lines lines;
	struct intern offsets; /* looked up before; a: path, b: offset */
	struct inlined *found; /* by number */
	uint32_t found_room;
	void *names; /* a tree, by tsearch(), of each name once */
};

/* The functions inlined at the byte at this offset of an ELF file, as perf writes them, "leaf
 * (inlined)", the innermost first. The same pointer for the same name, valid until inlines_free();
 * equal paths have equal pointers too; NULL: there is none. Returns how many. */
uint32_t inlines_find(struct inlines *inlines, const char *path, uint64_t offset,
                      const char *names[LINES_INLINED]);

void inlines_free(struct inlines *inlines);

#endif
