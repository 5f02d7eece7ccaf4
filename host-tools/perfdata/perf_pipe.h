/* SPDX-License-Identifier: MIT */
/*
 * A pipe's stream (perf record -o -) that was kept in a file: its events and features are records
 * among the others. It is rearranged as a file. Source: Linux,
 * tools/perf/Documentation/perf.data-file-format.txt, "Pipe-mode data".
 */
#ifndef HOST_TOOLS_PERFDATA_PERF_PIPE_H
#define HOST_TOOLS_PERFDATA_PERF_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/blob.h"
#include "writer/util/error.h"

/* Whether these bytes of a file begin as a stream does. */
bool perf_pipe_is(const uint8_t *bytes, size_t size);

/* Make the file of a stream's bytes, to be freed also after an error. Where the stream is cut off
 * or damaged it ends, and broken says why. 0, or a negative errno. */
int perf_pipe_to_file(const uint8_t *bytes, size_t size, struct blob *file, struct error *broken,
                      struct error *error);

#endif
