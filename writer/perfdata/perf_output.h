/* SPDX-License-Identifier: MIT */
/*
 * The destination of a perf.data: a seam. A file of the host's is perf_output_file.c, a file on the
 * volume that a machine was booted from is agent/volume/perf_output_volume.c; each side links one.
 *
 * Written bytes do not change, except the header at offset 0, which is written repeatedly; all
 * other bytes are written in the order of their offsets. Thread, one at a time.
 */
#ifndef WRITER_PERFDATA_PERF_OUTPUT_H
#define WRITER_PERFDATA_PERF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/blob.h"
#include "writer/util/error.h"

struct perf_output;

/* Create path ("-", host: standard output, which must not be a terminal), with room for a first
 * block, or for so many bytes (host), so that a volume that is full is known now; what is not used
 * of it is given back when the file is whole. A file that is there is kept as path.old (host), or
 * is in the way (machine). 0, or a negative errno. */
int perf_output_open(struct perf_output **output, const char *path, uint64_t room,
                     struct error *error);

/* Whether it is a stream (host: path "-", standard output): what is written is gone, offsets say
 * nothing, and there is no header to write again. */
bool perf_output_is_stream(const struct perf_output *output);

/* Its name, links resolved; as long as it is open. */
const char *perf_output_path(const struct perf_output *output);

/* All bytes of the pieces, one behind the other, at offset. 0, or a negative errno. */
int perf_output_write(struct perf_output *output, const struct blob_piece *pieces, int count,
                      uint64_t offset);

/* Up to size bytes from offset; how many, or a negative errno. */
long perf_output_read(struct perf_output *output, void *to, size_t size, uint64_t offset);

/* The file ends at size. 0, or a negative errno. */
int perf_output_cut(struct perf_output *output, uint64_t size);

/* The file is whole; nothing more is written. 0, or the negative errno of what had been put off. */
int perf_output_finish(struct perf_output *output);

/* Free output, which may be NULL, and unlock the file. keep: false: nothing was recorded, what was
 * there before is there again. */
void perf_output_close(struct perf_output *output, bool keep);

#endif
