/* SPDX-License-Identifier: MIT */
/* JSON that is embedded in an HTML page. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_JSON_H
#define HOST_TOOLS_REPORT_HTML_HTML_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* A JSON string from any text. Bytes that are not UTF-8, and control characters except tabs, become
 * "?". A NULL text becomes null. */
json_t *html_text(const char *text);

/* A JSON number. JavaScript rounds numbers above 2^53. */
json_t *html_number(uint64_t number);

/* A number as a JSON string, for BigInt(), so that JavaScript does not round it. */
json_t *html_exact(uint64_t number);

/* Write json in ASCII and free it. "<", ">" and "&" are written as escapes, so that the browser
 * finds no HTML in the text. 0, -ENOMEM or -EIO. */
int html_json(FILE *out, json_t *json);

#endif
