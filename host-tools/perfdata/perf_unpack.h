/* SPDX-License-Identifier: MIT */
/*
 * Compressed records of perf.data files: perf record -z packs what it reads from the rings with
 * zstd, one stream for the whole file, in pieces that do not end where a record ends.
 * Source: Linux, tools/perf/Documentation/perf.data-file-format.txt, PERF_RECORD_COMPRESSED,
 * PERF_RECORD_COMPRESSED2, HEADER_COMPRESSED.
 */
#ifndef HOST_TOOLS_PERFDATA_PERF_UNPACK_H
#define HOST_TOOLS_PERFDATA_PERF_UNPACK_H

#include "host-tools/perfdata/perf_reader.h"

/* Whether the file may have compressed records: it says so, or its writer did not come to say
 * anything. */
bool perf_unpack_is_due(const struct perf_reader *reader);

/* Replace the reader's records by the same with the compressed ones unpacked. They end at damage:
 * reader->broken then gives the reason. 0, or -ENOMEM. Without compressed records nothing changes.
 */
int perf_unpack(struct perf_reader *reader, struct error *error);

#endif
