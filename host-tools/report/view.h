/* SPDX-License-Identifier: MIT */
/* The steps that all views of a perf.data file share: parse options, open the file, write the
 * output, report errors. Main thread. */
#ifndef HOST_TOOLS_REPORT_VIEW_H
#define HOST_TOOLS_REPORT_VIEW_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/recording_file.h"
#include "writer/util/error.h"

/* Options of the views that show call stacks. */
struct view_options {
	const char *input;
	const char *output; /* NULL: standard output */
	const char *event;  /* NULL: the view's default */
	bool no_inline;
	bool all_frames;
	struct pe_search search; /* where to look for the functions of UEFI images */
};

enum { VIEW_KEY_NO_INLINE = 0x1000, VIEW_KEY_ALL_FRAMES };

/* The struct argp_option entries of these options. */
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

/* For the default case of an argp parser: parses the options above, and the file argument; without
 * one the input is perf.data. 0 or ARGP_ERR_UNKNOWN. */
error_t view_parse(int key, char *arg, struct argp_state *state, struct view_options *options);

/* Open the recording with recording_file_open(), call show, and report the missing records. If the
 * file is damaged, show gets the records before the damage; then the damage is reported. Errors are
 * printed. search is freed. Returns the exit status. */
int view_recording(const char *path, struct pe_search *search,
                   int (*show)(void *context, struct recording_file *file, struct error *error),
                   void *context);

/* Call put with path opened for writing; path NULL: standard output. path must not be the recording
 * itself; NULL: none is read. 0, or a negative errno: put()'s error, or path could not be written.
 */
int view_write(const struct recording_file *file, const char *path,
               int (*put)(void *context, FILE *out, struct error *error), void *context,
               struct error *error);

#endif
