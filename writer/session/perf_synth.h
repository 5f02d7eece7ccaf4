/* SPDX-License-Identifier: MIT */
/*
 * The records by which Linux describes processes, synthesized for a machine that has none:
 * the image is process 1, CPU n is its thread 1 + n.
 */
#ifndef WRITER_SESSION_PERF_SYNTH_H
#define WRITER_SESSION_PERF_SYNTH_H

#include "writer/ledger/ledger.h"
#include "writer/perfdata/perf_writer.h"
#include "writer/region/region.h"
#include "writer/session/images.h"
#include "writer/util/blob.h"

/* COMM, FORK and MMAP2 records for the region's CPUs and images, to write before all others. */
void perf_synth_start(struct blob *blob, const struct region *region,
                      const struct image_file *files);

/* One LOST_SAMPLES record for each event that lost any, to write after all others. */
void perf_synth_lost(struct blob *blob, const struct ledger *ledger);

/* Append SWITCH records: all traced CPUs were stopped from `from` to `to`, in ns of the machine's
 * clock. */
void perf_synth_stop(struct blob *blob, const struct region *region, uint64_t from, uint64_t to);

/* The events of the command line with all their ids, for the file's attribute table. Returns
 * their number; *ids is what they point into. Both are malloc()ed; 0 if memory ran out. */
uint32_t perf_synth_events(const struct region *region, struct perf_writer_event **events,
                           uint64_t **ids);

#endif
