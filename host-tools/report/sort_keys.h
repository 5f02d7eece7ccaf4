/* SPDX-License-Identifier: MIT */
/* The common properties of a line's samples, for `--sort'. */
#ifndef HOST_TOOLS_REPORT_SORT_KEYS_H
#define HOST_TOOLS_REPORT_SORT_KEYS_H

#include <argp.h>

/* The REPORT_* (report_table.h) of words with "," between: any of those in allowed, which names say
 * in an error. For a parser of options: does not return for anything else. Main thread. */
unsigned sort_keys_parse(const char *text, unsigned allowed, const char *names,
                         struct argp_state *state);

#endif
