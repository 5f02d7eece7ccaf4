/* SPDX-License-Identifier: MIT */
/*
 * Reads perf.data, bareperf's or perf's. The file may have any content: every offset and size is
 * checked against the file before use. When it is opened, compressed records are unpacked, and a
 * pipe's stream is rearranged as a file.
 */
#ifndef HOST_TOOLS_PERFDATA_PERF_READER_H
#define HOST_TOOLS_PERFDATA_PERF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/perfdata/perf_file.h"
#include "writer/util/error.h"

#define PERF_READER_MAX_EVENTS 4096U
#define PERF_READER_MAX_IDS    65536U /* of all events together */

struct perf_reader_event {
	struct perf_event_attr attr;
	char name[96];
	uint64_t samples; /* the caller may count here */
};

struct perf_reader {
	const char *path; /* the given path, for messages; NULL: bytes in memory */
	const uint8_t *bytes;
	size_t size;
	struct perf_file_header header; /* checked */
	const uint8_t *records;         /* of the data section, unpacked */
	uint64_t records_size;
	struct error broken; /* the reason why reading ended early; "": all records were read */
	struct perf_reader_event *events;
	uint32_t event_count;
	uint64_t *ids;       /* sorted */
	uint32_t *id_events; /* id_events[i]: the event of ids[i] */
	uint32_t id_count;
	uint64_t last_id; /* the last id that was looked up, and its event */
	uint32_t last_event;
	size_t id_word;      /* the word of a sample that holds its event's id; 0: none */
	size_t id_word_back; /* the same for other records, counted from their ends; 0: none */
	bool cut;            /* the file ends before its data do, or was not finished */
	void *mapping;
	size_t mapping_size;
	uint8_t *stream;   /* the file that was made from a pipe's stream */
	uint8_t *unpacked; /* the records, if some were compressed */
	uint64_t *scratch; /* for records that are not aligned in the file */
};

/* Whether a file that begins with this word is a perf.data file of any version. */
bool perf_reader_knows_magic(uint64_t magic);

/* Open a file, or bytes in memory; path and bytes must stay valid. -EPROTO: not a perf.data file
 * that we can read. */
int perf_reader_open(struct perf_reader *reader, const char *path, struct error *error);
int perf_reader_open_bytes(struct perf_reader *reader, const uint8_t *bytes, size_t size,
                           struct error *error);
void perf_reader_close(struct perf_reader *reader);

/* Whether the file has all parts that its header announces; false if it was cut off, or its writer
 * was killed. */
bool perf_reader_is_whole(const struct perf_reader *reader);

/* One record of the data section. */
struct perf_reader_record {
	uint64_t offset; /* in the file, as if it were not compressed, and no stream */
	const struct perf_event_header
	    *header; /* complete, aligned, at least 8 bytes; size % 8 == 0 if the kernel wrote it */
	const uint8_t *trace; /* the bytes after an AUXTRACE record */
	uint64_t trace_size;
};

/* Get the record at *offset (start with 0), and set *offset to the next. 1; 0 at the end; -EPROTO
 * if the chain of records is broken. */
int perf_reader_next(struct perf_reader *reader, uint64_t *offset,
                     struct perf_reader_record *record, struct error *error);

/* The event of a record, by its id; if the file has only one event, that one; NULL if unknown, and
 * for records that only files contain. */
struct perf_reader_event *perf_reader_event_of(struct perf_reader *reader,
                                               const struct perf_event_header *record);

/* Whether PERIODs are nanoseconds, because the event is a clock. */
static inline bool perf_reader_is_clock(const struct perf_reader_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_CPU_CLOCK;
}

/* The state of bareperf's ledger in this file. */
enum perf_ledger {
	PERF_LEDGER_NONE, /* another tool's file, a stream, or the writer was ended early */
	/* bareperf's, but another tool rewrote the file without the ledger */
	PERF_LEDGER_REWRITTEN,
	PERF_LEDGER_WHOLE,
};

/* Find the ledger: with PERF_LEDGER_WHOLE, *bytes is in the file's mapping, for ledger_parse().
 * Returns enum perf_ledger, or -EPROTO with the offset in error: the file is cut off, or damaged
 * (the footer, or the ledger's CRC). */
int perf_reader_ledger(const struct perf_reader *reader, const uint8_t **bytes, size_t *size,
                       struct error *error);

/* A feature's contents, or NULL if the file does not contain all of it. */
const uint8_t *perf_reader_feature(const struct perf_reader *reader, unsigned bit, size_t *size);

/* An entry of the BUILD_ID feature. */
struct perf_build_id {
	const char *path; /* in the file; not NUL-terminated if it fills path_size */
	size_t path_size;
	uint8_t id[20];
	uint8_t size; /* of id, 1 to 20 */
};

/* Get the next entry of the feature's contents, bytes[*at…] of size (start with *at = 0). Returns
 * false at the end, or at a malformed entry. Entries with an impossible size of id are skipped. */
bool perf_reader_build_id(const uint8_t *bytes, size_t size, size_t *at,
                          struct perf_build_id *build_id);

/* A feature that is one string, copied and made printable; "" if there is none. */
void perf_reader_string(const struct perf_reader *reader, unsigned bit, char *to, size_t to_size);

/* Whether CMDLINE, the recording's command, contains that word. */
bool perf_reader_command_has(const struct perf_reader *reader, const char *word);

#endif
