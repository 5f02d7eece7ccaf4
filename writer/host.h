/* SPDX-License-Identifier: MIT */
/*
 * The operations that the writer needs from the program it is part of. The host tool fills them in
 * with files (host-tools/session/session_host.c), a machine with its boot volume
 * (agent/volume/session_machine.c). Context: a thread, one at a time.
 *
 * A struct perf_output and a struct journal belong to the side that made them.
 */
#ifndef WRITER_HOST_H
#define WRITER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/blob.h"
#include "writer/util/error.h"

struct image_file;
struct image_places;
struct journal;
struct ledger;
struct perf_output;
struct region;
struct session;

/* The destination of a perf.data. Written bytes do not change, except the header at offset 0, which
 * is written repeatedly; all other bytes are written in the order of their offsets. */
struct perf_output_ops {
	/* Create path ("-", host: standard output, which must not be a terminal). Reserve a first
	 * block, or room bytes (host), so that a full volume is reported now; finish() frees the
	 * unused rest. An older file becomes path.old (host), or is an error (machine). 0, or a
	 * negative errno. */
	int (*open)(struct perf_output **output, const char *path, uint64_t room,
	            struct error *error);
	/* Whether the output is a stream (host: path "-"): offsets are ignored, and the header
	 * cannot be written again. */
	bool (*is_stream)(const struct perf_output *output);
	/* The name, links resolved; valid while the output is open. */
	const char *(*path)(const struct perf_output *output);
	/* Write all bytes of the pieces, one after the other, at offset. 0 or a negative errno. */
	int (*write)(struct perf_output *output, const struct blob_piece *pieces, int count,
	             uint64_t offset);
	/* Read up to size bytes from offset; the number of bytes, or a negative errno. */
	long (*read)(struct perf_output *output, void *to, size_t size, uint64_t offset);
	/* End the file at size. 0 or a negative errno. */
	int (*cut)(struct perf_output *output, uint64_t size);
	/* The file is complete; nothing more is written. 0, or the negative errno of a delayed
	 * write. */
	int (*finish)(struct perf_output *output);
	/* Unlock the file and free output. keep: false: nothing was recorded; restore the older
	 * file. */
	void (*close)(struct perf_output *output, bool keep);
};

struct writer_host {
	const struct perf_output_ops *output;

	/* The session's progress, from which another process can resume it. Create
	 * session->journal; the output is open. 0 or a negative errno. */
	int (*journal_open)(struct session *session, struct error *error);
	/* Save the session's state; the output has all of its records. */
	void (*journal_save)(struct session *session);
	/* Before the file is ended: session_keep() (writer/session/session.h). */
	bool (*journal_keep)(struct session *session);
	/* Append bytes at offset `at`, the end of the bytes that were appended. 0 or a negative
	 * errno. */
	int (*journal_append)(struct journal *journal, uint64_t at, const void *bytes, size_t size);
	/* Copy the first size appended bytes; false if they cannot be read. */
	bool (*journal_appended)(const struct journal *journal, void *to, size_t size);
	/* The file is complete: no process resumes it. Delete the journal's file. */
	void (*journal_remove)(struct journal *journal);
	/* Free the journal. */
	void (*journal_close)(struct journal *journal);

	/* Find the ELF file of each of the region's images, else its name alone: an array for
	 * images_free() (writer/session/images.h), or NULL: no memory. */
	struct image_file *(*images_find)(const struct region *region,
	                                  const struct image_places *places);
	/* Copy the found files into perf's cache. An error is reported, and changes nothing. */
	void (*images_cache)(const struct region *region, const struct image_file *files);

	/* Count again, into the ledger, the records of the file at path; the file could not be
	 * finished. 0, or a negative errno: the count stops at damage. */
	int (*recount)(struct ledger *ledger, const char *path, struct error *error);
};

#endif
