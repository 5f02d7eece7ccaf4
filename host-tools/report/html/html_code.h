/* SPDX-License-Identifier: MIT */
/* The instructions of the functions that samples were taken in. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_CODE_H
#define HOST_TOOLS_REPORT_HTML_HTML_CODE_H

#include <jansson.h>

#include "host-tools/report/places.h"

/* {function's number: {start, code: [[size, text]]}}, of those that were met first as many as have
 * a reasonable number of instructions together. */
json_t *html_code(struct places *places);

#endif
