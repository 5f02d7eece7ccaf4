/* SPDX-License-Identifier: MIT */
/* The text of sources, by line, a few files at a time. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_SOURCE_TEXT_H
#define HOST_TOOLS_REPORT_SYMBOLS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define SOURCE_TEXT_FILES 8U
#define SOURCE_TEXT_MOST  (4U << 20) /* bytes of a file that are kept */

struct source_text {
	struct source_text_file {
		const char *path; /* as lines.h gives it; NULL: none */
		char **lines;
		uint32_t count;
	} files[SOURCE_TEXT_FILES];
	uint32_t next; /* to be forgotten */
};

/* The text of a line, from 1; NULL: the source cannot be read, has no such line, or was changed
 * since the ELF file was compiled from it. Until the next call. */
const char *source_text_line(struct source_text *text, const char *path, const char *elf,
                             uint32_t line);

void source_text_free(struct source_text *text);

#endif
