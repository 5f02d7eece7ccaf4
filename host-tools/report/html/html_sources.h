/* SPDX-License-Identifier: MIT */
/* The page's places as lines of sources, and what stands there. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_SOURCES_H
#define HOST_TOOLS_REPORT_HTML_HTML_SOURCES_H

#include <jansson.h>
#include <stdint.h>

#include "host-tools/report/places.h"
#include "host-tools/report/symbols/lines.h"
#include "writer/util/blob.h"

struct html_sources {
	struct lines lines;
	struct intern files; /* a: path, as lines.h gives it */
	struct html_source *sources;
};

/* Append for each place its source's number + 1, or 0, then a column of line numbers, each as the
 * signed difference from the one before: numbers as in series.h. 0 or -ENOMEM. */
int html_sources_of(struct html_sources *sources, const struct places *places, struct blob *blob);

/* [[path, {line: text}]] of those that were met, with the lines around those that were sampled. A
 * source that has no text here is not to be had, or was changed since it was compiled. */
json_t *html_sources_json(const struct html_sources *sources);

void html_sources_free(struct html_sources *sources);

#endif
