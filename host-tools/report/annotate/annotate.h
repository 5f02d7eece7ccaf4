/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_ANNOTATE_ANNOTATE_H
#define HOST_TOOLS_REPORT_ANNOTATE_ANNOTATE_H

#include "host-tools/report/recording_file.h"

/* Print the functions that an event has samples in, the hottest first, with their instructions and
 * lines: only this one, where it is not NULL, and none with less than limit percent of the event.
 * 0, or a negative errno. Thread: the one that opened the file. */
int annotate_event(struct recording_file *file, const struct perf_reader_event *event,
                   const char *only, double limit, struct error *error);

/* `bareperf annotate [-i FILE] [SYMBOL]`: its exit status. */
int command_annotate(int argc, char **argv);

#endif
