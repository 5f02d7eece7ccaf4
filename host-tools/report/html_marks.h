/* SPDX-License-Identifier: MIT */
/* A program's marks as the page's series: a region is its beginning, with its length as weight; a
 * moment has none. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_HTML_MARKS_H
#define HOST_TOOLS_REPORT_HTML_MARKS_H

#include "host-tools/perfdata/sample.h"
#include "host-tools/report/intern.h"
#include "host-tools/report/series.h"

/* A region that has begun. */
struct html_mark {
	uint32_t event, cpu, name;
	uint64_t since; /* ns */
};

struct html_marks {
	void *texts;         /* texts.h */
	struct intern names; /* a: const char *, by number */
	struct html_mark *open;
	uint32_t open_count, open_room;
};

/* Take a mark of an event. 0, -ENOMEM or -EIO. */
int html_marks_add(struct html_marks *marks, struct series_set *series, uint32_t event,
                   const struct sample *sample);

/* What has not ended does so at last, ns. The same. */
int html_marks_end(struct html_marks *marks, struct series_set *series, uint64_t last);

void html_marks_free(struct html_marks *marks);

#endif
