/* SPDX-License-Identifier: MIT */
/* A self-test as one HTML page: the core-to-core map and the latency ladder as pictures. */
#ifndef HOST_TOOLS_REPORT_SELFTEST_SELFTEST_HTML_H
#define HOST_TOOLS_REPORT_SELFTEST_SELFTEST_HTML_H

#include <stdio.h>

#include "lib/survey/survey.h"

/* Write the page: no scripts, no network. Main thread. */
void selftest_html(const struct survey *s, FILE *out);

#endif
