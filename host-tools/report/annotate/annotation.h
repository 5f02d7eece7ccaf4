/* SPDX-License-Identifier: MIT */
/* A function annotated like in perf: its instructions with the samples of each, and between them
 * the source lines from which they were compiled. Thread: the thread that created the annotation.
 */
#ifndef HOST_TOOLS_REPORT_ANNOTATE_ANNOTATION_H
#define HOST_TOOLS_REPORT_ANNOTATE_ANNOTATION_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/symbols/lines.h"
#include "host-tools/report/symbols/symbols.h"

/* The samples at an address. */
struct annotation_place {
	uint64_t address, weight, samples;
};

/* Sort places by address, as annotation_make() requires. places may be NULL if count is 0. */
void annotation_sort(struct annotation_place *places, size_t count);

struct annotation_line {
	uint64_t address; /* of an instruction; 0: the line is source text */
	uint64_t weight, samples;
	char *text; /* printable */
};

struct annotation {
	struct annotation_line *lines;
	size_t count;
	uint64_t weight, samples; /* sums of the function, including samples between instructions */
};

/*
 * Annotate a function with the samples of count places, which are sorted by address. Places outside
 * the function are ignored. A source file that changed after it was compiled, or that cannot be
 * read, is shown only as NAME:LINE. 0; -ENOMEM; -ENOEXEC: the ELF file cannot be read, or is for an
 * unsupported architecture. Call annotation_free() in all cases.
 */
int annotation_make(struct annotation *annotation, struct lines *lines,
                    const struct symbol_code *function, const struct annotation_place *places,
                    size_t count);

/* A line's share of the function, in percent. */
double annotation_share(const struct annotation *annotation, const struct annotation_line *line);

/* Format one line, without a newline: share, address and instruction; or the source text. */
void annotation_text(const struct annotation *annotation, const struct annotation_line *line,
                     char *text, size_t size);

/* Print all lines under a header like that of `perf annotate --stdio'. The caller finds write
 * errors by ferror(). */
void annotation_print(const struct annotation *annotation, const char *name, const char *file,
                      const char *event, FILE *out);

void annotation_free(struct annotation *annotation);

#endif
