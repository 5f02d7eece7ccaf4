/* SPDX-License-Identifier: MIT */
/*
 * Writing a perf.data file as the records arrive. From perf_writer_begin() on
 * the file is a whole one after every flush: the header is there and its data
 * size is kept up to date, so that even a kill leaves a file that perf reads.
 *
 * To a stream (writer/host.h) what a file has in front of its records goes as records; features,
 * which a file has behind them, are the caller's to add, and there is no ledger.
 */
#ifndef WRITER_PERFDATA_PERF_WRITER_H
#define WRITER_PERFDATA_PERF_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/host.h"
#include "writer/perfdata/perf_file.h"
#include "writer/util/blob.h"
#include "writer/util/error.h"

/* One event with the ids of all its instances. */
struct perf_writer_event {
	struct perf_event_attr attr;
	const uint64_t *ids;
	uint32_t id_count;
};

struct perf_writer {
	const struct perf_output_ops *output_ops;
	struct perf_output *output; /* NULL: not open */
	bool is_stream;             /* perf's pipe format: nothing before or behind the records */
	bool begun;
	int failed; /* the first write error, a negative errno; nothing is written after it */
	struct error failure;
	uint64_t kept; /* bytes of records that make no room for the end, whatever happens */
	struct perf_file_header header;
	struct blob buffer; /* records that are not in the file yet */
};

/* Create path by ops, with room for so many bytes (writer/host.h). */
int perf_writer_open(struct perf_writer *writer, const struct perf_output_ops *ops,
                     const char *path, uint64_t room, struct error *error);

/* Write header, ids and attributes. -E2BIG: a stream has no room for an event's ids. */
int perf_writer_begin(struct perf_writer *writer, const struct perf_writer_event *events,
                      uint32_t count, struct error *error);

/* Add records; size must be a multiple of 8. A failure is kept in the writer. */
void perf_writer_add(struct perf_writer *writer, const void *records, size_t size);

/* The same of pieces, together a multiple of 8 bytes; at most PERF_WRITER_PIECES. They are
 * written to the file at once, after the buffered records; only the kernel reads them, once. */
#define PERF_WRITER_PIECES 4
void perf_writer_add_pieces(struct perf_writer *writer, const struct blob_piece *pieces, int count);

/* Keep code as the writer's failure, unless it has failed before. */
int perf_writer_fail(struct perf_writer *writer, int code);

/* Write the buffered records. */
void perf_writer_flush(struct perf_writer *writer);

/* Continue after the first data_size bytes of records, which another process wrote and flushed to
 * the same file. Later records in the file, and buffered ones, are discarded. */
void perf_writer_resume(struct perf_writer *writer, uint64_t data_size);

/*
 * Reopen a file that another process began, and that no process has open. Only its header is read.
 * -ENOENT; -EBUSY; -EPROTO: it is no such file. perf_writer_cut() then cuts the file after
 * data_size bytes of records, with anything that perf_writer_finish() wrote after them: 0, or the
 * first failure.
 */
int perf_writer_reopen(struct perf_writer *writer, const char *path, struct error *error);
int perf_writer_cut(struct perf_writer *writer, uint64_t data_size, struct error *error);

/* One optional section of the file. */
struct perf_writer_feature {
	unsigned bit; /* enum perf_file_feature */
	struct blob blob;
};

/* The part behind the records. */
struct perf_writer_end {
	const struct perf_writer_feature *features; /* ascending by bit */
	size_t feature_count;
	struct blob ledger; /* as ledger_store() makes it; may be empty */
};

/* Flush, write the end and the final header, close. If the disk is full, the last records make
 * room for the end. Returns the writer's first failure, or 0. */
int perf_writer_finish(struct perf_writer *writer, const struct perf_writer_end *end,
                       struct error *error);

/* Close without finishing and forget the writer; a file that was not begun is removed, and the
 * older file is restored. */
void perf_writer_abandon(struct perf_writer *writer);

/* Bytes of the file so far, the buffer included. */
uint64_t perf_writer_size(const struct perf_writer *writer);

#endif
