/* SPDX-License-Identifier: MIT */
/* The command lines of the subcommands that have --channel. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_OPTIONS_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_OPTIONS_H

#include <stdbool.h>

#include "host-tools/record/command/guest.h"
#include "host-tools/region/channel_options.h"
#include "host-tools/session/output_options.h"
#include "host-tools/top/top_options.h"

struct remote_options {
	/* timeout: s without a sign of life until the machine is given up */
	struct channel_options channel;
	struct output_options
	    output;        /* of `record' and `attach': "perf.data"; of others: /dev/null */
	const char *image; /* NULL: from the build tree of this tool */
	bool json;         /* of `stat' */
	bool follow;       /* of `console' */
	bool force;        /* stop also a machine without a heartbeat */
	bool stat;
	struct top_options top;
	struct guest guest; /* the machine's command; empty: none */
};

/* The description of a subcommand, for its --help. */
struct remote_usage {
	const char *name;
	const char *args; /* behind --channel URL */
	const char *doc;
	bool records;     /* it has the options of a recording */
	bool has_command; /* its other words are for the machine */
	bool shows;       /* it has the options of a live view */
};

/* Split argv: bareperf's options; and, if usage->has_command, the machine's command: all other
 * words up to "--" and behind it. Does not return for --help or a wrong command line. */
void remote_options_parse(struct remote_options *options, const struct remote_usage *usage,
                          int argc, char **argv);

#endif
