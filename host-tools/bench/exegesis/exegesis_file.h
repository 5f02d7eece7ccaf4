/* SPDX-License-Identifier: MIT */
/*
 * llvm-exegesis's benchmarks: a YAML document each, of which
 * `--benchmark-phase=assemble-measured-code` leaves `measurements` empty. Keys: llvm's
 * tools/llvm-exegesis/lib/BenchmarkResult.cpp. Read and written by libyaml; keys that are not known
 * here stay as they are. Thread: the thread that owns the file.
 */
#ifndef HOST_TOOLS_BENCH_EXEGESIS_EXEGESIS_FILE_H
#define HOST_TOOLS_BENCH_EXEGESIS_EXEGESIS_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "writer/util/blob.h"
#include "writer/util/error.h"

#define EXEGESIS_CODE 65536U /* bytes of assembled_snippet */

/* A benchmark's mode decides its values' keys. */
enum exegesis_mode { EXEGESIS_LATENCY, EXEGESIS_UOPS, EXEGESIS_THROUGHPUT };

struct exegesis_document; /* libyaml's */

/* A benchmark; it belongs to its file. */
struct exegesis_point {
	enum exegesis_mode mode;
	uint16_t machine;    /* ELF's e_machine of llvm_triple */
	size_t instructions; /* of the snippet: entries of key.instructions; at least 1 */
	const char *first;   /* the first of them */
	struct blob code;    /* assembled_snippet */
	int measured;        /* node: the list of new measurements; 0: none yet */
	struct exegesis_document *document;
};

struct exegesis_file {
	struct exegesis_point *points;
	size_t count;
};

/* Read all documents of a text, which may be anything. name: the file's, for errors. 0; -EINVAL:
 * the error has the document's number or the line; -ENOMEM. Call exegesis_file_free() in any case.
 */
int exegesis_file_parse(struct exegesis_file *file, const uint8_t *text, size_t size,
                        const char *name, struct error *error);
int exegesis_file_read(struct exegesis_file *file, const char *name, struct error *error);

/* Set a point's `error` to text; "": none. 0 or -ENOMEM. */
int exegesis_set_error(struct exegesis_point *point, const char *text);

/* Add a measurement: its key, and the count of one instruction and of the whole snippet. */
int exegesis_add_value(struct exegesis_point *point, const char *key, double instruction,
                       double snippet);

/* Write all documents. May be called once: libyaml's emitter takes the documents. 0 or a negative
 * errno. */
int exegesis_file_write(struct exegesis_file *file, FILE *out, struct error *error);

void exegesis_file_free(struct exegesis_file *file);

#endif
