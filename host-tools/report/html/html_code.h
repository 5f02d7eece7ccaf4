/* SPDX-License-Identifier: MIT */
/* The instructions of the functions that have samples, for the HTML page. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_CODE_H
#define HOST_TOOLS_REPORT_HTML_HTML_CODE_H

#include <jansson.h>

#include "host-tools/report/places.h"

/* Get {function's number: {start, code: [[size, text]]}}. Functions are taken in the order of their
 * first places, until their instructions reach a limit that keeps the page small. */
json_t *html_code(struct places *places);

#endif
