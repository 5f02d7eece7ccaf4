/* SPDX-License-Identifier: MIT */
/* A board's record in the merged file. Any thread. */
#ifndef HOST_TOOLS_MERGE_MERGE_RECORD_H
#define HOST_TOOLS_MERGE_MERGE_RECORD_H

#include "host-tools/merge/merge_boards.h"
#include "writer/util/blob.h"

/*
 * Write to `to` the record of board i with the merged file's ids, CPUs, tasks and times; COMM gets
 * the board's name before its own. 1; 0: the merged file has it already, from another board;
 * -EPROTO, -ENOTSUP: the record is malformed, or no recording without AUX data contains such;
 * -ENOMEM.
 */
int merge_record(const struct merge *merge, uint32_t i, const struct perf_event_header *record,
                 struct blob *to, struct error *error);

#endif
