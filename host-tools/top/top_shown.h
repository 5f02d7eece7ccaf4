/* SPDX-License-Identifier: MIT */
/* A live view's content at one moment, and its sources. Thread: the draining thread. */
#ifndef HOST_TOOLS_TOP_TOP_SHOWN_H
#define HOST_TOOLS_TOP_TOP_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/report/histogram.h"
#include "host-tools/report/symbols/symbols.h"
#include "host-tools/top/top_counts.h"
#include "host-tools/top/top_slow.h"
#include "writer/session/session.h"

#define TOP_HEAD_LINES 12U
#define TOP_LINE       256U
#define TOP_FILTER     64U
#define TOP_ALL_CPUS   UINT32_MAX

/* Selects the part of the counts to show. */
struct top_view {
	uint32_t evsel;
	unsigned columns;        /* REPORT_*, report_table.h */
	uint32_t cpu;            /* TOP_ALL_CPUS: all */
	const char *file;        /* as symbols.h gives it; NULL: all */
	char filter[TOP_FILTER]; /* part of a function's name; "": all */
	bool no_idle;            /* omit functions that only wait */
};

/* The view's data sources. Besides the session, their memory does not grow with the recording. */
struct top_data {
	struct session *session; /* NULL: no session yet */
	struct symbols *symbols;
	struct top_counts counts;
	uint64_t *before;    /* each event's samples at the last measurement */
	double *rates;       /* each event's rate per second at that measurement */
	double measured;     /* s: the time of that measurement */
	uint64_t *positions; /* each ring reader's position */
	double *fill;        /* each ring's highest fill level, 0 to 1 */
	struct top_slow slow;
	bool is_over;
};

struct top_shown {
	char head[TOP_HEAD_LINES][TOP_LINE]; /* printable */
	uint32_t lines;                      /* lines in head */
	/* the first `alarms` lines of head report missing data */
	uint32_t alarms;
	uint32_t event;        /* the index of the event's line in head */
	struct histogram rows; /* sorted */
	uint64_t idle, weight; /* the weight of idle samples, and of all samples */
};

/* Call after each drain: records how full the rings were. */
void top_data_note_rings(struct top_data *data);

/* Measures the changes since the last call. now: s. */
void top_data_measure(struct top_data *data, double now);

/* Builds the content anew. 0 or -ENOMEM. */
int top_shown_make(struct top_shown *shown, struct top_data *data, const struct top_view *view);

/* The same for the rows only. */
int top_shown_rows(struct top_shown *shown, const struct top_data *data,
                   const struct top_view *view);

void top_shown_free(struct top_shown *shown);

/* The number of events on the command line, and one event's name. */
uint32_t top_events(const struct top_data *data);
const char *top_event_name(const struct top_data *data, uint32_t evsel);

#endif
