/* SPDX-License-Identifier: MIT */
/* The one file that a view is about, as perf's -i: argp's end of a command line. */
#ifndef HOST_TOOLS_UTIL_ONE_FILE_H
#define HOST_TOOLS_UTIL_ONE_FILE_H

#include <argp.h>
#include <stdint.h>

/* For a parser's default case: takes an argument for *path, of which there may be one, and standard
 * where there is none; NULL: there must be one. 0 or ARGP_ERR_UNKNOWN. Main thread. */
error_t one_file_parse(int key, char *arg, struct argp_state *state, const char *standard,
                       const char **path);

/* An option's number, decimal or with 0x; anything else is refused, and the program ends. */
uint64_t argument_number(struct argp_state *state, const char *option, const char *arg);

#endif
