/* SPDX-License-Identifier: MIT */
/* A function as perf annotates it: its instructions, with what was sampled at each, and between
 * them the lines of source that they were compiled from. Thread: the one that made it. */
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

/* By address, as annotation_make() wants them. places: NULL where there are none. */
void annotation_sort(struct annotation_place *places, size_t count);

struct annotation_line {
	uint64_t address; /* of an instruction; 0: it is source */
	uint64_t weight, samples;
	char *text; /* printable */
};

struct annotation {
	struct annotation_line *lines;
	size_t count, room;
	uint64_t weight, samples; /* of the function, instructions or not */
};

/*
 * Of places, which are sorted by address, those in the function count. A source that was changed
 * since it was compiled, or is not to be had, is told by NAME:LINE alone. 0; -ENOMEM; -ENOEXEC: its
 * file cannot be read, or is of another architecture. annotation_free() in any case.
 */
int annotation_make(struct annotation *annotation, struct lines *lines,
                    const struct symbol_code *function, const struct annotation_place *places,
                    size_t count);

/* A line's share of the function, in percent. */
double annotation_share(const struct annotation *annotation, const struct annotation_line *line);

/* One line: share, address and code; or what stands in the source. Without a newline. */
void annotation_text(const struct annotation *annotation, const struct annotation_line *line,
                     char *text, size_t size);

/* All of it, as `perf annotate --stdio' heads it. Whether it could be written: ferror(). */
void annotation_print(const struct annotation *annotation, const char *name, const char *file,
                      const char *event, FILE *out);

void annotation_free(struct annotation *annotation);

#endif
