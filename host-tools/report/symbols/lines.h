/* SPDX-License-Identifier: MIT */
/* Finds the source lines of the code in ELF files by DWARF. Thread: the thread that created the
 * struct. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_LINES_H
#define HOST_TOOLS_REPORT_SYMBOLS_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct lines {
	struct lines_elf *elves; /* the ELF files that were used so far */
	uint32_t count;
};

struct line {
	const char *file; /* path at compile time, valid until lines_free(); NULL: unknown */
	uint32_t number;  /* from 1 */
};

/* Find the source line of the byte at this offset of the ELF file at path. */
struct line lines_at(struct lines *lines, const char *path, uint64_t offset);

#define LINES_INLINED 32U

/* A function that the compiler inlined into another function. */
struct lines_call {
	const char *name; /* valid until lines_free(); C++ and Rust names are mangled */
	struct line line; /* the line of the call in the other function */
};

/* Find all functions that are inlined at this offset of the ELF file: the innermost first, at most
 * LINES_INLINED. Returns their number. */
uint32_t lines_inlined(struct lines *lines, const char *path, uint64_t offset,
                       struct lines_call calls[LINES_INLINED]);

/* A row of the ELF file's line table: the bytes from offset to end were compiled from that line. If
 * several rows begin at the same byte, only the last has bytes. */
struct lines_row {
	struct line line;
	bool is_statement; /* DWARF's is_stmt: a debugger may stop at the first byte */
	uint64_t offset, end;
};

/* Call visit for every row whose code is in the file: one compilation unit after another, the rows
 * of a unit sorted by offset. visit returns a negative errno to stop. Returns the number of rows,
 * or that errno. */
int64_t lines_walk(struct lines *lines, const char *path,
                   int (*visit)(void *context, const struct lines_row *row), void *context);

/* Whether a source file is unchanged since the ELF file was made, judged by the modification times
 * of both files. */
bool lines_is_same(const char *source, const char *path);

void lines_free(struct lines *lines);

#endif
