/* SPDX-License-Identifier: MIT */
#include "host-tools/util/one_file.h"

error_t one_file_parse(int key, char *arg, struct argp_state *state, const char **path)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*path)
			argp_error(state, "one file at a time");
		*path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!*path)
			*path = "perf.data";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
