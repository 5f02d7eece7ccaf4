/* SPDX-License-Identifier: MIT */
/* Where in the sources an address is, by the ELF file's DWARF, and the text that stands there.
 * Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_LINES_H
#define HOST_TOOLS_REPORT_SYMBOLS_LINES_H

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
struct line lines_at(struct lines *lines, const char *path, uint64_t offset);

#define LINES_INLINED 32U

/* A function that the compiler has put into another's code, */
struct lines_call {
	const char *name; /* until lines_free(); of C++ and Rust mangled */
	struct line line; /* where that one calls it */
};

/* and all of them at the byte at this offset: the innermost first, at most LINES_INLINED. Returns
 * how many. */
uint32_t lines_inlined(struct lines *lines, const char *path, uint64_t offset,
                       struct lines_call calls[LINES_INLINED]);

/* A row of the ELF file's line table: the bytes from offset to end were compiled from that line;
 * none where another row begins at the same byte. */
struct lines_row {
	struct line line;
	bool is_statement; /* a debugger would stop at its first byte */
	uint64_t offset, end;
};

/* Show all rows of code that is in the file, unit by unit, each unit's by offset. visit returns a
 * negative errno to stop. How many there were, or that. */
int64_t lines_walk(struct lines *lines, const char *path,
                   int (*visit)(void *context, const struct lines_row *row), void *context);

/* Whether a source is as it was when that ELF file was made, as far as the times of both tell. */
bool lines_is_same(const char *source, const char *path);

void lines_free(struct lines *lines);

#endif
