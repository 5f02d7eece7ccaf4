/* SPDX-License-Identifier: MIT */
/* The options of a live view that `top' and `run -- top' share. */
#ifndef HOST_TOOLS_TOP_TOP_OPTIONS_H
#define HOST_TOOLS_TOP_TOP_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "host-tools/session/output_options.h"

struct top_options {
	bool wanted;      /* a live view is wanted */
	bool stdio;       /* as text, one block at a time */
	bool any;         /* at least one of these options was given */
	double delay;     /* s between two views */
	unsigned entries; /* lines of a block, except in the last block */
	unsigned columns; /* REPORT_*, report_table.h */
};

#define TOP_DEFAULTS                      \
	{                                 \
		.delay = 1, .entries = 20 \
	}

/* Keys of these options, beyond the keys of the commands that use them. */
enum { TOP_STDIO = 0x3000, TOP_DELAY, TOP_ENTRIES, TOP_SORT };

/* Lines of a table of argp options. */
/* clang-format off */
#define TOP_OPTIONS                                                                                \
	{ "stdio", TOP_STDIO, NULL, 0,                                                             \
	  "`top': print text blocks; the default without a terminal", 0 },                         \
	{ "delay", TOP_DELAY, "S", 0, "`top': seconds between views (default: 1)", 0 },            \
	{ "entries", TOP_ENTRIES, "N", 0,                                                          \
	  "`top --stdio': lines of each block (default: 20)", 0 },                                 \
	{ "sort", TOP_SORT, "KEYS", 0,                                                             \
	  "`top': keys of a line: dso, symbol, cpu", 0 }
/* clang-format on */

/* For a parser's default case: 0, or ARGP_ERR_UNKNOWN for a key that is not one of these. Main
 * thread. */
error_t top_option_parse(int key, char *arg, struct argp_state *state, struct top_options *options);

/* Returns the error in these options combined with the recording's output; NULL: none. */
const char *top_options_check(const struct top_options *options,
                              const struct output_options *output);

#endif
