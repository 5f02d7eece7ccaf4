/* SPDX-License-Identifier: MIT */
/* JSON of what a recording came to: on standard output, for scripts. */
#ifndef HOST_TOOLS_REPORT_SUMMARY_JSON_H
#define HOST_TOOLS_REPORT_SUMMARY_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "writer/util/error.h"

/* JSON's integers are signed here; counts stay below 2^63. */
json_t *summary_number(uint64_t number);

/* Text that may not be UTF-8, at most 1100 bytes of it: without what a terminal obeys. */
json_t *summary_text(const char *text, size_t size);

/* Write it, a line a value, and let it go. what: "the JSON summary". 0, or -EIO. */
int summary_print(json_t *json, FILE *out, const char *what, struct error *error);

#endif
