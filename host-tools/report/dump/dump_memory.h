/* SPDX-License-Identifier: MIT */
/* Prints a sample's access to memory as text. */
#ifndef HOST_TOOLS_REPORT_DUMP_DUMP_MEMORY_H
#define HOST_TOOLS_REPORT_DUMP_DUMP_MEMORY_H

#include "abi/perf_event.h"
#include "host-tools/util/format.h"
#include "writer/perfdata/sample.h"

/* Print the sample's weight, data source and physical address like `perf script -D`, if attr has
 * them. */
void dump_memory(struct format *f, const struct perf_event_attr *attr, const struct sample *sample);

#endif
