/* SPDX-License-Identifier: MIT */
/*
 * Reading perf.data, ours or perf's. The file may be anything: every offset and
 * size is checked against the file before it is used. Compressed records are
 * unpacked, and a pipe's stream is rearranged as a file, when it is opened.
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
	uint64_t samples; /* for the caller to count in */
};

struct perf_reader {
	const char *path; /* that was given, for messages; NULL: bytes in memory */
	const uint8_t *bytes;
	size_t size;
	struct perf_file_header header; /* checked */
	const uint8_t *records;         /* of the data section, unpacked */
	uint64_t records_size;
	struct error broken; /* why there are no more records; "": it has them all */
	struct perf_reader_event *events;
	uint32_t event_count;
	uint64_t *ids;       /* sorted */
	uint32_t *id_events; /* id_events[i]: the event of ids[i] */
	uint32_t id_count;
	uint64_t last_id; /* the one looked up last, and its event */
	uint32_t last_event;
	size_t id_word;      /* where a sample has its event's id, in words; 0: nowhere */
	size_t id_word_back; /* where other records have it, from their ends; 0: nowhere */
	bool cut;            /* the file ends before its data do, or was not finished */
	void *mapping;
	size_t mapping_size;
	uint8_t *stream;   /* the file that a pipe's stream was rearranged as */
	uint8_t *unpacked; /* records, if some were compressed */
	uint64_t *scratch; /* for records that are not aligned in the file */
};

/* Whether a file that begins with this word is perf's, of any version. */
bool perf_reader_knows_magic(uint64_t magic);

/* Open a file, or bytes in memory; path and bytes must stay there. -EPROTO: not a perf.data file
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
	uint64_t offset; /* in the file; as if it were not compressed, and no stream */
	const struct perf_event_header
	    *header; /* whole, aligned, at least 8 bytes; size % 8 == 0 if it is the kernel's */
	const uint8_t *trace; /* of an AUXTRACE record, behind it */
	uint64_t trace_size;
};

/* The record at *offset (start with 0), which then becomes the next one's. 1; 0 at the end;
 * -EPROTO where the chain breaks. */
int perf_reader_next(struct perf_reader *reader, uint64_t *offset,
                     struct perf_reader_record *record, struct error *error);

/* The event of a record, by its id; the only one of a file that has one; NULL if unknown, and of
 * records that only files have. */
struct perf_reader_event *perf_reader_event_of(struct perf_reader *reader,
                                               const struct perf_event_header *record);

/* Whether PERIODs are nanoseconds: the clock's. */
static inline bool perf_reader_is_clock(const struct perf_reader_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_CPU_CLOCK;
}

/* The state of bareperf's ledger in this file. */
enum perf_ledger {
	PERF_LEDGER_NONE, /* another tool's, a stream, or the writer was ended before the end */
	PERF_LEDGER_REWRITTEN, /* bareperf's, but another tool rewrote it and left the ledger out */
	PERF_LEDGER_WHOLE,
};

/* Find the ledger: *bytes in the file's mapping, for ledger_parse(), if PERF_LEDGER_WHOLE is
 * returned. Returns enum perf_ledger, or -EPROTO with the offset in error: the file is cut off, or
 * damaged (the footer, or the ledger's CRC). */
int perf_reader_ledger(const struct perf_reader *reader, const uint8_t **bytes, size_t *size,
                       struct error *error);

/* A feature's contents, or NULL if the file does not have it whole. */
const uint8_t *perf_reader_feature(const struct perf_reader *reader, unsigned bit, size_t *size);

/* An entry of the BUILD_ID feature. */
struct perf_build_id {
	const char *path; /* in the file, not NUL-terminated if it fills path_size */
	size_t path_size;
	uint8_t id[20];
	uint8_t size; /* of id, 1 to 20 */
};

/* The next entry of the feature's contents, bytes[*at…] of size (start with *at = 0); false at the
 * end, which is also where it makes no sense. Entries with an impossible size of id are left out.
 */
bool perf_reader_build_id(const uint8_t *bytes, size_t size, size_t *at,
                          struct perf_build_id *build_id);

/* A feature that is one string, copied and made printable; "" if there is none. */
void perf_reader_string(const struct perf_reader *reader, unsigned bit, char *to, size_t to_size);

/* Whether CMDLINE, the recording's command, has that word. */
bool perf_reader_command_has(const struct perf_reader *reader, const char *word);

#endif
