/* SPDX-License-Identifier: MIT */
/* The options of every command that has --channel. */
#ifndef HOST_TOOLS_REGION_CHANNEL_OPTIONS_H
#define HOST_TOOLS_REGION_CHANNEL_OPTIONS_H

#include <argp.h>

#include "host-tools/region/channel_url.h"

struct channel_options {
	const char *url; /* --channel; NULL: not given */
	double timeout;  /* s, --timeout; else as the command set it before */
	struct channel_url_options more;
};

enum { CHANNEL_URL = 0x4000, CHANNEL_TIMEOUT, CHANNEL_ADDRESS, CHANNEL_STOP_BUDGET };

/* Members of an array of options. timeout_help: the help of --timeout, with its default. */
#define CHANNEL_OPTIONS(timeout_help)                                                         \
	{ "channel", CHANNEL_URL, "URL", 0, "a running machine; `help' lists all kinds", 0 }, \
	    { "timeout", CHANNEL_TIMEOUT, "S", 0, timeout_help, 0 },                          \
	    { "address",                                                                      \
	      CHANNEL_ADDRESS,                                                                \
	      "ADDRESS",                                                                      \
	      0,                                                                              \
	      "the trace region's address, as the machine prints it",                         \
	      0 },                                                                            \
	{                                                                                     \
		"stop-budget", CHANNEL_STOP_BUDGET, "N%", 0,                                  \
		    "gdb: share of time to stop the machine (default: 10%)", 0                \
	}

/* For a parser's default case: 0, or ARGP_ERR_UNKNOWN if the key is none of these options.
 * `--channel help' prints the schemes and ends the program. Main thread. */
error_t channel_option_parse(int key, char *arg, struct argp_state *state,
                             struct channel_options *options);

#endif
