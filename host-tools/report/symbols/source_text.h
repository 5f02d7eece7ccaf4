/* SPDX-License-Identifier: MIT */
/* The text of source lines. Keeps the text of a few files in memory. Thread: the thread that
 * created the struct. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_SOURCE_TEXT_H
#define HOST_TOOLS_REPORT_SYMBOLS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define SOURCE_TEXT_FILES 8U
#define SOURCE_TEXT_MOST  (4U << 20) /* most bytes to keep of a file */

struct source_text {
	struct source_text_file {
		const char *path; /* path from lines.h; NULL: this entry is free */
		char **lines;
		uint32_t count;
	} files[SOURCE_TEXT_FILES];
	uint32_t next; /* the entry that the next file replaces */
};

/* Get the text of a line; lines are counted from 1. NULL: the source file cannot be read, has no
 * such line, or changed after elf was compiled from it. Valid until the next call. */
const char *source_text_line(struct source_text *text, const char *path, const char *elf,
                             uint32_t line);

void source_text_free(struct source_text *text);

#endif
