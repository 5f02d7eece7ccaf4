/* SPDX-License-Identifier: MIT */
/* A live view's content at a moment, and its data. Thread: the one that drains. */
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

/* Which part of what was counted. */
struct top_view {
	uint32_t evsel;
	unsigned columns;        /* REPORT_*, report_table.h */
	uint32_t cpu;            /* TOP_ALL_CPUS: all */
	const char *file;        /* as symbols.h gives it; NULL: all */
	char filter[TOP_FILTER]; /* part of a function's name; "": all */
	bool no_idle;            /* without those of functions that only wait */
};

/* All that is known; beside the session, in memory that does not grow with it. */
struct top_data {
	struct session *session; /* NULL: there is none yet */
	struct symbols *symbols;
	struct top_counts counts;
	uint64_t *before;    /* samples of each event, */
	double *rates;       /* a second, as of then, */
	double measured;     /* s: and when that was */
	uint64_t *positions; /* of each ring's reader */
	double *fill;        /* of each ring, 0 to 1: the most that was found in it */
	struct top_slow slow;
	bool is_over;
};

struct top_shown {
	char head[TOP_HEAD_LINES][TOP_LINE]; /* printable */
	uint32_t lines;                      /* of it */
	uint32_t alarms;                     /* of these, the first so many say what is missing */
	uint32_t event;                      /* which of them is the event's */
	struct histogram rows;               /* sorted */
	uint64_t idle, weight;               /* how much of all weight is of who waits */
};

/* After each drain: what was in the rings. */
void top_data_note_rings(struct top_data *data);

/* Measure the changes since the last call, at now (s). */
void top_data_measure(struct top_data *data, double now);

/* Make it, instead of what was there. 0 or -ENOMEM. */
int top_shown_make(struct top_shown *shown, struct top_data *data, const struct top_view *view);

/* The same, of the rows alone. */
int top_shown_rows(struct top_shown *shown, const struct top_data *data,
                   const struct top_view *view);

void top_shown_free(struct top_shown *shown);

/* How many events there are on the command line; the name of one. */
uint32_t top_events(const struct top_data *data);
const char *top_event_name(const struct top_data *data, uint32_t evsel);

#endif
