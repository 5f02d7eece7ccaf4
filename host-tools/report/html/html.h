/* SPDX-License-Identifier: MIT */
/* `bareperf report --html`: a recording as one page for a browser. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_H
#define HOST_TOOLS_REPORT_HTML_HTML_H

#include <stdio.h>

#include "host-tools/report/recording_file.h"

/* Write the page of a file that was opened, with the samples of one event, or of all where event is
 * NULL; no_inline: without the functions that the compiler has inlined. Samples go out a chunk
 * at a time; what stays in memory is where they were taken (places.h). 0, or a negative errno:
 * -ENODATA where there is no such event. */
int html_write(struct recording_file *file, const char *event, bool no_inline, FILE *out,
               struct error *error);

#endif
