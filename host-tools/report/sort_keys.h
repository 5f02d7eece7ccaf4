/* SPDX-License-Identifier: MIT */
/* Parser for `--sort': the properties by which samples are grouped into lines. */
#ifndef HOST_TOOLS_REPORT_SORT_KEYS_H
#define HOST_TOOLS_REPORT_SORT_KEYS_H

#include <argp.h>

/* Parse words with "," between them into REPORT_* bits (report_table.h). allowed: the accepted
 * bits; names: their names for the error message. Call it from an argp parser: on an unknown word
 * it prints an error and does not return. Main thread. */
unsigned sort_keys_parse(const char *text, unsigned allowed, const char *names,
                         struct argp_state *state);

#endif
