/* SPDX-License-Identifier: MIT */
/* `bareperf report --html`: writes a recording as one HTML page. */
#ifndef HOST_TOOLS_REPORT_HTML_HTML_H
#define HOST_TOOLS_REPORT_HTML_HTML_H

#include <stdio.h>

#include "host-tools/report/recording_file.h"

/* Write the HTML page of an opened file. event: the event whose samples are shown; NULL: all
 * events. no_inline: do not show inlined functions. Samples are written in chunks; only their
 * places (places.h) stay in memory. 0, or a negative errno; -ENODATA: the file has no such event.
 */
int html_write(struct recording_file *file, const char *event, bool no_inline, FILE *out,
               struct error *error);

#endif
