/* SPDX-License-Identifier: MIT */
/*
 * A pipe's stream (perf record -o -) that was saved in a file: its events and features are records
 * among the others. This code rearranges it as a perf.data file. Source: Linux,
 * tools/perf/Documentation/perf.data-file-format.txt, "Pipe-mode data".
 */
#ifndef HOST_TOOLS_PERFDATA_PERF_PIPE_H
#define HOST_TOOLS_PERFDATA_PERF_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/blob.h"
#include "writer/util/error.h"

/* Whether the bytes begin like a stream. */
bool perf_pipe_is(const uint8_t *bytes, size_t size);

/* Make a file from a stream's bytes; the caller frees it, also after an error. If the stream is cut
 * off or damaged, the file ends there, and broken has the reason. 0, or a negative errno. */
int perf_pipe_to_file(const uint8_t *bytes, size_t size, struct blob *file, struct error *broken,
                      struct error *error);

#endif
