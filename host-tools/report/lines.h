/* SPDX-License-Identifier: MIT */
/* Where in the sources an address is, by the ELF file's DWARF, and the text that stands there.
 * Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_LINES_H
#define HOST_TOOLS_REPORT_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct lines {
	struct lines_elf *elves; /* that were asked for */
	uint32_t count;
};

struct line {
	const char
	    *file;       /* its path when it was compiled; NULL: nobody knows; until lines_free() */
	uint32_t number; /* from 1 */
};

/* The line of the byte at this offset of the ELF file at path. */
struct line lines_find(struct lines *lines, const char *path, uint64_t offset);

/* Whether a source is as it was when that ELF file was made, as far as the times of both tell. */
bool lines_is_same(const char *source, const char *path);

void lines_free(struct lines *lines);

#endif
