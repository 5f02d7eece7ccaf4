/* SPDX-License-Identifier: MIT */
/* The shared parts of a live view: top.c drives it, top_screen.c draws it, top_keys.c handles keys.
 *  */
#ifndef HOST_TOOLS_TOP_TOP_OWN_H
#define HOST_TOOLS_TOP_TOP_OWN_H

#include "host-tools/report/annotate/annotation.h"
#include "host-tools/top/top.h"
#include "host-tools/top/top_shown.h"

enum top_mode {
	TOP_LIST,
	TOP_ANNOTATE,  /* one function */
	TOP_FILTERING, /* a filter is typed */
	TOP_HELP,
};

/* The terminal, while it is ours. */
struct top_screen {
	bool is_open;
	int errors;        /* a file that takes what goes to standard error; -1: none */
	int error_place;   /* where that went before */
	uint64_t left_out; /* bytes of it that were too many */
	bool has_colours;
};

struct top {
	struct top_options options;
	struct top_data data;
	struct top_view view;
	struct top_shown shown;
	double started, next; /* s; when to show it anew */
	unsigned blocks;      /* that were printed */
	bool quits, stops;    /* by a key: the view; the recording */
	int failed;           /* why the view quits, negative; 0: not for that */
	struct error failure;
	bool freezes; /* the view does not change */
	bool zeroes;  /* each view begins anew */
	enum top_mode mode;
	size_t selected, first; /* rows, and which stands at the top */
	struct histogram_key selected_key;
	bool follows; /* that key's row is selected, wherever it stands; else the first row */
	struct annotation annotation;
	struct symbol_code annotated;
	const char *annotated_name;
	size_t annotation_first;
	struct lines lines;
	char typed[TOP_FILTER];
	char note[200]; /* the last key's result; "": none */
	unsigned snapshots;
	struct top_screen screen;
};

/* Take the terminal of standard output. -ENOTTY: it is none, or one that cannot do it. */
int top_screen_open(struct top *top, struct error *error);

/* Draw all that is known; where nothing is, what is waited for. */
void top_screen_draw(struct top *top, const char *waiting);

/* How many rows of the list there is room for, below the head. */
size_t top_screen_rows(const struct top *top);

/* Give the terminal back, and print what was said meanwhile. Nothing to do for one that is not
 * open. */
void top_screen_close(struct top *top);

/* Obey the keys that were pressed. Whether there were any. */
bool top_keys(struct top *top);

/* Make again what is shown, unless it is frozen. */
void top_refresh(struct top *top);

/* Make what is shown of another view; of one that is frozen the rows alone. */
void top_review(struct top *top);

/* The same of the function that is annotated. False: there is none. */
bool top_annotate(struct top *top);

/* Print the present view of each event as text; all: every row. 0, or -ENOMEM; ferror() reports
 * failed writes. */
int top_print(struct top *top, bool all, const char *title, FILE *out);

#endif
