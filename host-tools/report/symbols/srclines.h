/* SPDX-License-Identifier: MIT */
/* Addresses as lines of sources, in perf's words. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_SRCLINES_H
#define HOST_TOOLS_REPORT_SYMBOLS_SRCLINES_H

#include "host-tools/report/intern.h"
#include "host-tools/report/symbols/lines.h"
#include "host-tools/report/symbols/symbols.h"

struct srclines {
	const struct symbols *symbols;
	struct lines lines;
	struct intern addresses; /* looked up before */
	const char **found;      /* by number */
	uint32_t found_room;
	void *texts; /* a tree, by tsearch(), of each text once */
};

/* NAME:LINE with the source's base name; where nobody knows it FILE[1234], the offset in the file.
 * The same pointer for the same text, valid until srclines_free(). NULL: no memory. */
const char *srclines_find(struct srclines *srclines, uint64_t address);

void srclines_free(struct srclines *srclines);

#endif
