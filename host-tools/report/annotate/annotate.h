/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_ANNOTATE_ANNOTATE_H
#define HOST_TOOLS_REPORT_ANNOTATE_ANNOTATE_H

#include "host-tools/report/recording_file.h"

/* Print the functions in which an event has samples, the hottest first, with their instructions and
 * source lines. only: print only this function; NULL: all. Functions with less than limit percent
 * of the event are left out. 0, or a negative errno. Thread: the thread that opened the file. */
int annotate_event(struct recording_file *file, const struct perf_reader_event *event,
                   const char *only, double limit, struct error *error);

/* Run `bareperf annotate [-i FILE] [SYMBOL]`. Returns the exit status. */
int command_annotate(int argc, char **argv);

#endif
