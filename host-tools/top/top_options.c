/* SPDX-License-Identifier: MIT */
#include "host-tools/top/top_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/report_table.h"
#include "host-tools/report/sort_keys.h"
#include "host-tools/util/arguments.h"

error_t top_option_parse(int key, char *arg, struct argp_state *state, struct top_options *options)
{
	uint64_t entries;

	switch (key) {
	case TOP_STDIO:
		options->stdio = true;
		break;
	case TOP_DELAY:
		options->delay = argument_amount(state, "--delay", arg, "seconds", 0.1, 3600);
		break;
	case TOP_ENTRIES:
		entries = argument_number(state, "--entries", arg);
		if (entries < 1 || entries > 1000000)
			argp_error(state, "--entries %s: want 1 to 1000000", arg);
		options->entries = (unsigned)entries;
		break;
	case TOP_SORT:
		options->columns = sort_keys_parse(arg, REPORT_FILE | REPORT_SYMBOL | REPORT_CPU,
		                                   "dso, symbol and cpu", state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	options->any = true;
	return 0;
}

const char *top_options_check(const struct top_options *options,
                              const struct output_options *output)
{
	if (options->any && !options->wanted)
		return "--stdio, --delay, --entries, --sort: these are of `top'";
	if (options->wanted && output_is_stream(output))
		return "-o -: standard output is what `top' shows itself on";
	return NULL;
}
