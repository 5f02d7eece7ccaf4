/* SPDX-License-Identifier: MIT */
/* Formats an address as its source line, as perf does. Thread: the thread that created the struct.
 */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_SRCLINES_H
#define HOST_TOOLS_REPORT_SYMBOLS_SRCLINES_H

#include "host-tools/report/intern.h"
#include "host-tools/report/symbols/lines.h"
#include "host-tools/report/symbols/symbols.h"

struct srclines {
	const struct symbols *symbols;
	struct lines lines;
	struct intern addresses; /* addresses that were looked up before */
	const char **found;      /* by number in addresses */
	uint32_t found_room;
	void *texts; /* tsearch() tree: each text once */
};

/* Get "NAME:LINE", where NAME is the source's base name. If the line is unknown: "FILE[1234]",
 * where 1234 is the offset in the file. Equal texts have the same pointer, valid until
 * srclines_free(). NULL: memory ran out. */
const char *srclines_find(struct srclines *srclines, uint64_t address);

void srclines_free(struct srclines *srclines);

#endif
