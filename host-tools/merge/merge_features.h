/* SPDX-License-Identifier: MIT */
/* The parts of the merged file around its records. Any thread. */
#ifndef HOST_TOOLS_MERGE_MERGE_FEATURES_H
#define HOST_TOOLS_MERGE_MERGE_FEATURES_H

#include "host-tools/merge/merge_boards.h"
#include "writer/perfdata/perf_writer.h"
#include "writer/session/perf_features.h"

/* Describe the boards as one machine with all of their CPUs: only tables, no memory. Events that
 * several boards have in common are one event. The caller calls region_close(). -ENOMEM. */
int merge_region(const struct merge *merge, struct region *region, struct error *error);

/* The features, ascending by bit, without those that describe a single machine; command: our own.
 * Returns their number. The caller calls perf_features_free(). */
size_t merge_features(struct perf_writer_feature features[PERF_FEATURES_MAX],
                      const struct merge *merge, const struct region *region,
                      const char *const *command, int command_words);

#endif
