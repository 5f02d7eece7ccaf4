/* SPDX-License-Identifier: MIT */
/* What every view of a perf.data file begins and ends with. Main thread. */
#ifndef HOST_TOOLS_REPORT_VIEW_H
#define HOST_TOOLS_REPORT_VIEW_H

#include <stdio.h>

#include "host-tools/report/recording_file.h"
#include "host-tools/util/error.h"

/* Open the recording, have it shown, and tell what is missing from it. Of one that is broken what
 * is there is shown, and then why there is no more. The exit status; an error is printed. */
int view_recording(const char *path,
                   int (*show)(void *context, struct recording_file *file, struct error *error),
                   void *context);

/* Have a view written to path, which must not be the recording's; NULL: standard output. 0, or a
 * negative errno: put()'s, or that path could not be written. */
int view_write(const struct recording_file *file, const char *path,
               int (*put)(void *context, FILE *out, struct error *error), void *context,
               struct error *error);

#endif
