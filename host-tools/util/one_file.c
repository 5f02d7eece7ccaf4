/* SPDX-License-Identifier: MIT */
#include "host-tools/util/one_file.h"

#include <errno.h>
#include <stdlib.h>

uint64_t argument_number(struct argp_state *state, const char *option, const char *arg)
{
	char *end;
	uint64_t number;

	errno = 0;
	number = strtoull(arg, &end, 0);
	if (errno || end == arg || *end || *arg == '-')
		argp_error(state, "%s %s: want a number", option, arg);
	return number;
}

error_t one_file_parse(int key, char *arg, struct argp_state *state, const char *standard,
                       const char **path)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*path)
			argp_error(state, "one file at a time");
		*path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*path && !standard)
			argp_error(state, "which file?");
		else if (!*path)
			*path = standard;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
