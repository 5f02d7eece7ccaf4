/* SPDX-License-Identifier: MIT */
/* Internal part of perf_reader.h: the events with their ids and names. */
#ifndef HOST_TOOLS_PERFDATA_PERF_READER_META_H
#define HOST_TOOLS_PERFDATA_PERF_READER_META_H

#include "host-tools/perfdata/perf_reader.h"

/* Fill events, ids and id_events from the attribute table and EVENT_DESC. */
int perf_reader_load_events(struct perf_reader *reader, struct error *error);

#endif
