/* SPDX-License-Identifier: MIT */
/* A recording's summary as JSON on standard output, for scripts. */
#ifndef HOST_TOOLS_REPORT_SUMMARY_JSON_H
#define HOST_TOOLS_REPORT_SUMMARY_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "writer/util/error.h"

/* An integer for JSON. jansson's integers are signed, so number must be below 2^63. */
json_t *summary_number(uint64_t number);

/* A string for JSON from at most 1100 bytes of text. Bytes that are not UTF-8 and terminal control
 * characters are replaced. */
json_t *summary_text(const char *text, size_t size);

/* Write json with one value per line, and free json. what: its name in an error, such as "the JSON
 * summary". 0, or -EIO. */
int summary_print(json_t *json, FILE *out, const char *what, struct error *error);

#endif
