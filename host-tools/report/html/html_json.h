/* SPDX-License-Identifier: MIT */
/* JSON that stands in a page. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_JSON_H
#define HOST_TOOLS_REPORT_HTML_HTML_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Any text: what is no UTF-8, and control characters but tabs, become "?". NULL becomes null. */
json_t *html_text(const char *text);

/* A number as JavaScript has it: beyond 2^53 rounded. */
json_t *html_number(uint64_t number);

/* A number that must not be rounded, as text: for BigInt(). */
json_t *html_exact(uint64_t number);

/* Write it in ASCII, with "<", ">" and "&" as escapes, so that nothing in it is HTML. json is
 * given away. 0, -ENOMEM or -EIO. */
int html_json(FILE *out, json_t *json);

#endif
