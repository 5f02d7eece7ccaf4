/* SPDX-License-Identifier: MIT */
/* A recording's records as the page's series and places. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_RECORDS_H
#define HOST_TOOLS_REPORT_HTML_HTML_RECORDS_H

#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/report/places.h"
#include "host-tools/report/series.h"
#include "host-tools/report/stat/mark_regions.h"

struct html_records {
	const struct perf_reader_event *only; /* of this event; NULL: of all */
	struct places places;
	struct series_set series;
	struct mark_regions marks; /* show: html_records_mark() */
	struct intern stopped;     /* a: an event's id, b: CPU; stopped at */
	struct html_stop *stops;
	uint64_t first, last; /* times of what happened, ns; first > last: nothing did */
	uint64_t trace_bytes; /* of AUX areas, which the page does not show */
};

/* Take a record, for recording_file_walk(); context: the struct html_records. 0, -ENOMEM or -EIO.
 */
int html_records_add(void *context, struct perf_reader *reader,
                     const struct perf_event_header *record);

/* Take what has become of a mark, for mark_regions_add(). The same. */
int html_records_mark(void *context, const struct mark_region *region);

/* No more come. The same. */
int html_records_end(struct html_records *records);

void html_records_free(struct html_records *records);

#endif
