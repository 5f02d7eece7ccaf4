/* SPDX-License-Identifier: MIT */
/* The command lines of the subcommands that have --channel. */
#ifndef HOST_TOOLS_RECORD_REMOTE_REMOTE_OPTIONS_H
#define HOST_TOOLS_RECORD_REMOTE_REMOTE_OPTIONS_H

#include <stdbool.h>

#include "host-tools/record/command/guest.h"
#include "host-tools/region/channel_url.h"
#include "host-tools/session/output_options.h"
#include "host-tools/top/top_options.h"

struct remote_options {
	const char *url; /* --channel */
	struct channel_url_options channel;
	double timeout; /* s that a machine may give no sign of life */
	struct output_options
	    output;        /* of `record' and `attach': "perf.data"; of others: /dev/null */
	const char *image; /* NULL: where this tool was built */
	bool json;         /* of `stat' */
	bool follow;       /* of `console' */
	bool force;        /* of a machine without a heartbeat, too */
	bool stat;
	struct top_options top;
	struct guest guest; /* the machine's command; empty where there is none */
};

/* What a subcommand is, for its --help. */
struct remote_usage {
	const char *name;
	const char *args; /* behind --channel URL */
	const char *doc;
	bool records;     /* it has the options of a recording */
	bool has_command; /* its other words are the machine's */
	bool shows;       /* it has those of a live view */
};

/* Take argv apart: our options, and if usage->has_command the others, up to "--" and behind it, are
 * the machine's command. Does not return for --help or a wrong command line. */
void remote_options_parse(struct remote_options *options, const struct remote_usage *usage,
                          int argc, char **argv);

#endif
