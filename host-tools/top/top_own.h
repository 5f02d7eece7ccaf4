/* SPDX-License-Identifier: MIT */
/* Shared by the files of the live view: top.c drives it, top_screen.c draws it, top_keys.c handles
 * keys. */
#ifndef HOST_TOOLS_TOP_TOP_OWN_H
#define HOST_TOOLS_TOP_TOP_OWN_H

#include "host-tools/report/annotate/annotation.h"
#include "host-tools/top/top.h"
#include "host-tools/top/top_shown.h"

enum top_mode {
	TOP_LIST,
	TOP_ANNOTATE,  /* shows one function's instructions */
	TOP_FILTERING, /* the user types a filter */
	TOP_HELP,
};

/* The terminal, while the view uses it. */
struct top_screen {
	bool is_open;
	int errors;        /* a file that collects standard error's text; -1: none */
	int error_place;   /* a copy of the original standard error */
	uint64_t left_out; /* bytes of that text beyond the limit, which were dropped */
	bool has_colours;
};

struct top {
	struct top_options options;
	struct top_data data;
	struct top_view view;
	struct top_shown shown;
	double started, next; /* s; when the next redraw is due */
	unsigned blocks;      /* number of printed blocks */
	bool quits, stops;    /* a key ended the view; a key ended the recording */
	int failed;           /* the negative errno that ended the view; 0: none */
	struct error failure;
	bool freezes; /* the view does not change */
	bool zeroes;  /* each view counts from zero */
	enum top_mode mode;
	size_t selected, first; /* indexes of rows: the selected row, the top row */
	struct histogram_key selected_key;
	bool follows; /* the selection stays on the row with that key; else on the first row */
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

/* Opens the terminal of standard output. -ENOTTY: it is not a terminal, or lacks a needed ability.
 */
int top_screen_open(struct top *top, struct error *error);

/* Draws the view. Without data, shows what the tool is waiting for. */
void top_screen_draw(struct top *top, const char *waiting);

/* Returns how many rows of the list fit below the head. */
size_t top_screen_rows(const struct top *top);

/* Restores the terminal and prints the messages that were held back. Does nothing if the terminal
 * is not open. */
void top_screen_close(struct top *top);

/* Handles the pressed keys. Returns whether any key was pressed. */
bool top_keys(struct top *top);

/* Rebuilds the shown content, unless the view is frozen. */
void top_refresh(struct top *top);

/* Rebuilds the content after the user chose another view. If the view is frozen, rebuilds only the
 * rows. */
void top_review(struct top *top);

/* The same for the annotated function. False: no function is annotated. */
bool top_annotate(struct top *top);

/* Prints each event's present view as text. all: every row. 0 or -ENOMEM. The caller checks
 * ferror() for failed writes. */
int top_print(struct top *top, bool all, const char *title, FILE *out);

#endif
