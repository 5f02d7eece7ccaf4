/* SPDX-License-Identifier: MIT */
/* Turns a recording's records into the series and places of the HTML page. Thread: the thread that
 * created the struct. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_RECORDS_H
#define HOST_TOOLS_REPORT_HTML_HTML_RECORDS_H

#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/report/places.h"
#include "host-tools/report/recording_file.h"
#include "host-tools/report/series.h"
#include "host-tools/report/stat/mark_regions.h"

struct html_records {
	const struct perf_reader_event *only; /* show only this event; NULL: all events */
	struct places places;
	struct series_set series;
	struct mark_regions marks; /* its show is html_records_mark() */
	struct intern stopped;     /* a: event's id, b: CPU; index of stops */
	struct html_stop *stops;
	uint64_t first, last; /* ns, of the first and the last record; first > last: none */
	uint64_t trace_bytes; /* size of AUX areas */
	uint64_t calls;       /* stacks of a branch trace; 0: the page has none */
};

/* Add a record; a visit function for recording_file_walk(). context: the struct html_records. 0,
 * -ENOMEM or -EIO. */
int html_records_add(void *context, struct perf_reader *reader,
                     const struct perf_event_header *record);

/* Add the region of a mark; a show function for mark_regions. 0, -ENOMEM or -EIO. */
int html_records_mark(void *context, const struct mark_region *region);

/* Add the stacks of a branch trace, if the file has one whose code is known, as samples of an event
 * behind all others. Before html_records_end(). 0, -ENOMEM or -EIO. */
int html_records_add_calls(struct html_records *records, struct recording_file *file);

/* Finish after the last record. 0, -ENOMEM or -EIO. */
int html_records_end(struct html_records *records);

void html_records_free(struct html_records *records);

#endif
