/* SPDX-License-Identifier: MIT */
#include "host-tools/top/top_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/report_table.h"
#include "host-tools/util/arguments.h"

static void parse_sort(const char *text, struct top_options *options, struct argp_state *state)
{
	static const struct {
		const char *name;
		unsigned column;
	} keys[] = { { "dso", REPORT_FILE },
		     { "symbol", REPORT_SYMBOL },
		     { "sym", REPORT_SYMBOL },
		     { "cpu", REPORT_CPU } };
	size_t length;

	options->columns = 0;
	for (; *text; text += length + (text[length] == ',')) {
		unsigned column = 0;

		length = strcspn(text, ",");
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			if (strlen(keys[i].name) == length && !strncmp(keys[i].name, text, length))
				column = keys[i].column;
		}
		if (!column)
			argp_error(state, "--sort: %.*s is none of dso, symbol and cpu",
			           (int)length, text);
		options->columns |= column;
	}
	if (!options->columns)
		argp_error(state, "--sort: by what?");
}

static void parse_delay(const char *arg, struct top_options *options, struct argp_state *state)
{
	char *end;

	errno = 0;
	options->delay = strtod(arg, &end);
	if (errno || end == arg || *end || !(options->delay >= 0.1 && options->delay <= 3600))
		argp_error(state, "--delay %s: want seconds, 0.1 to 3600", arg);
}

error_t top_option_parse(int key, char *arg, struct argp_state *state, struct top_options *options)
{
	uint64_t entries;

	switch (key) {
	case TOP_STDIO:
		options->stdio = true;
		break;
	case TOP_DELAY:
		parse_delay(arg, options, state);
		break;
	case TOP_ENTRIES:
		entries = argument_number(state, "--entries", arg);
		if (entries < 1 || entries > 1000000)
			argp_error(state, "--entries %s: want 1 to 1000000", arg);
		options->entries = (unsigned)entries;
		break;
	case TOP_SORT:
		parse_sort(arg, options, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	options->any = true;
	return 0;
}
