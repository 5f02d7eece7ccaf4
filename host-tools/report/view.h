/* SPDX-License-Identifier: MIT */
/* The begin and the end of every view of a perf.data file. Main thread. */
#ifndef HOST_TOOLS_REPORT_VIEW_H
#define HOST_TOOLS_REPORT_VIEW_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/recording_file.h"
#include "writer/util/error.h"

/* The options of views of stacks. */
struct view_options {
	const char *input;
	const char *output; /* NULL: standard output */
	const char *event;  /* NULL: the view's default */
	bool no_inline;
	bool all_frames;
	struct pe_search search; /* where UEFI images' functions are looked for */
};

enum { VIEW_KEY_NO_INLINE = 0x1000, VIEW_KEY_ALL_FRAMES };

/* The entries of struct argp_option for them. */
#define VIEW_ARGP_OPTIONS(event_help)                                                    \
	{ "output", 'o', "FILE", 0, "the output file (default: standard output)", 0 },   \
	    { "event", 'e', "NAME", 0, event_help, 0 },                                  \
	    { "all-frames",                                                              \
	      VIEW_KEY_ALL_FRAMES,                                                       \
	      NULL,                                                                      \
	      0,                                                                         \
	      "show bareperf's own callers of main() and of workloads",                  \
	      0 },                                                                       \
	    PE_SEARCH_OPTION,                                                            \
	{                                                                                \
		"no-inline", VIEW_KEY_NO_INLINE, NULL, 0, "without inlined functions", 0 \
	}

/* For a parser's default case: takes them, and FILE, which is perf.data if it is not named. 0 or
 * ARGP_ERR_UNKNOWN. */
error_t view_parse(int key, char *arg, struct argp_state *state, struct view_options *options);

/* Open the recording (recording_file_open()), have it shown, and tell what is missing from it. Of
 * one that is broken what is there is shown, and then why there is no more. The exit status; an
 * error is printed. search is freed. */
int view_recording(const char *path, struct pe_search *search,
                   int (*show)(void *context, struct recording_file *file, struct error *error),
                   void *context);

/* Have a view written to path, which must not be the recording's; NULL: standard output. 0, or a
 * negative errno: put()'s, or that path could not be written. */
int view_write(const struct recording_file *file, const char *path,
               int (*put)(void *context, FILE *out, struct error *error), void *context,
               struct error *error);

#endif
