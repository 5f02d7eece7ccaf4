/* SPDX-License-Identifier: MIT */
/* The source lines of the page's places, and their text. Thread: the thread that created the
 * struct. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_SOURCES_H
#define HOST_TOOLS_REPORT_HTML_HTML_SOURCES_H

#include <jansson.h>
#include <stdint.h>

#include "host-tools/report/places.h"
#include "host-tools/report/symbols/lines.h"
#include "writer/util/blob.h"

struct html_sources {
	struct lines lines;
	struct intern files; /* a: path from lines.h */
	struct html_source *sources;
};

/* Append two columns: for each place the number + 1 of its source file (0: none); for each place
 * its line number, as the signed difference from the one before. Numbers are encoded as in
 * series.h. 0 or -ENOMEM. */
int html_sources_of(struct html_sources *sources, const struct places *places, struct blob *blob);

/* Get [[path, {line: text}]] of the source files that have samples: the sampled lines and the lines
 * around them. A file that cannot be read, or that changed after it was compiled, has no text. */
json_t *html_sources_json(const struct html_sources *sources);

void html_sources_free(struct html_sources *sources);

#endif
