/* SPDX-License-Identifier: MIT */
/*
 * Compressed records of perf.data files: perf record -z packs the rings' records with zstd, as one
 * stream for the whole file, in pieces whose ends are not at records' ends. Source: Linux,
 * tools/perf/Documentation/perf.data-file-format.txt, PERF_RECORD_COMPRESSED,
 * PERF_RECORD_COMPRESSED2, HEADER_COMPRESSED.
 */
#ifndef HOST_TOOLS_PERFDATA_PERF_UNPACK_H
#define HOST_TOOLS_PERFDATA_PERF_UNPACK_H

#include "host-tools/perfdata/perf_reader.h"

/* Whether the file may have compressed records: a feature says so, or its writer ended before it
 * wrote features. */
bool perf_unpack_is_due(const struct perf_reader *reader);

/* Replace the reader's records by unpacked ones. Damage ends them: reader->broken then has the
 * reason. 0, or -ENOMEM. Without compressed records nothing changes. */
int perf_unpack(struct perf_reader *reader, struct error *error);

#endif
