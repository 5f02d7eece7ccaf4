/* SPDX-License-Identifier: MIT */
/* Opening a perf.data file and walking its records. */
#include "host-tools/perfdata/perf_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/perfdata/perf_pipe.h"
#include "host-tools/perfdata/perf_reader_meta.h"
#include "host-tools/perfdata/perf_unpack.h"

static int check_section(const struct perf_reader *reader, const struct perf_file_section *section,
                         const char *name, struct error *error)
{
	if (section->offset <= reader->size && section->size <= reader->size - section->offset)
		return 0;
	return error_set(error, -EPROTO,
	                 "%s at 0x%" PRIx64 " with 0x%" PRIx64 " bytes leave the file of 0x%zx",
	                 name, section->offset, section->size, reader->size);
}

bool perf_reader_knows_magic(uint64_t magic)
{
	return magic == PERF_FILE_MAGIC || magic == PERF_FILE_MAGIC_SWAPPED ||
	       magic == PERF_FILE_MAGIC_1;
}

static int check_magic(const struct perf_reader *reader, struct error *error)
{
	uint64_t magic = 0;

	memcpy(&magic, reader->bytes, reader->size < sizeof(magic) ? reader->size : sizeof(magic));
	if (magic == PERF_FILE_MAGIC_1)
		return error_set(
		    error, -EPROTO,
		    "a file of perf's version 1 (PERFFILE), which bareperf does not read: "
		    "record with a newer perf");
	if (magic == PERF_FILE_MAGIC_SWAPPED)
		return error_set(
		    error, -EPROTO,
		    "recorded on a big-endian machine: bareperf does not read its numbers");
	if (magic != PERF_FILE_MAGIC)
		return error_set(error, -EPROTO, "not a perf.data file: no PERFILE2 at offset 0");
	return 0;
}

/* The data section has size 0 if perf record was killed, because perf writes the size at the end.
 * But a finished file may have no records; then its table of features is there. */
static bool is_unfinished(const struct perf_reader *reader)
{
	const struct perf_file_header *header = &reader->header;
	struct perf_file_section first = { 0 };
	uint64_t table = 0;

	if (header->data.size || header->data.offset < header->size ||
	    header->data.offset >= reader->size)
		return false;
	for (size_t i = 0; i < sizeof(header->features) / sizeof(header->features[0]); i++)
		table += (uint64_t)__builtin_popcountll(header->features[i]) * sizeof(first);
	if (reader->size - header->data.offset >= sizeof(first))
		memcpy(&first, reader->bytes + header->data.offset, sizeof(first));
	return !table || first.offset != header->data.offset + table;
}

/* A file that was cut off, or whose writer was killed, is read up to its end. */
static void check_end(struct perf_reader *reader)
{
	struct perf_file_section *data = &reader->header.data;

	if (data->offset > reader->size ||
	    (data->size <= reader->size - data->offset && !is_unfinished(reader)))
		return;
	data->size = reader->size - data->offset;
	reader->cut = true;
}

static int check_header(struct perf_reader *reader, struct error *error)
{
	struct perf_file_header *header = &reader->header;
	int code = check_magic(reader, error);

	if (code)
		return code;
	if (reader->size < sizeof(*header))
		return error_set(error, -EPROTO, "0x%zx bytes are too few for a header",
		                 reader->size);
	memcpy(header, reader->bytes, sizeof(*header));
	if (header->size != sizeof(*header))
		return error_set(error, -EPROTO, "a header of %" PRIu64 " bytes makes no sense",
		                 header->size);
	if (header->attr_size < 64 + sizeof(struct perf_file_section) || header->attr_size > 4096 ||
	    header->attrs.size % header->attr_size)
		return error_set(error, -EPROTO, "attributes of %" PRIu64 " bytes make no sense",
		                 header->attr_size);
	if (header->attrs.size / header->attr_size > PERF_READER_MAX_EVENTS)
		return error_set(error, -EPROTO, "more than %u events", PERF_READER_MAX_EVENTS);
	check_end(reader);
	if (check_section(reader, &header->data, "the records", error))
		return -EPROTO;
	reader->records = reader->bytes + header->data.offset;
	reader->records_size = header->data.size;
	return check_section(reader, &header->attrs, "the attributes", error);
}

static int load_stream(struct perf_reader *reader, struct error *error)
{
	struct blob file = { 0 };
	int code = perf_pipe_to_file(reader->bytes, reader->size, &file, &reader->broken, error);

	reader->stream = file.bytes;
	reader->bytes = file.bytes;
	reader->size = file.size;
	return code;
}

int perf_reader_open_bytes(struct perf_reader *reader, const uint8_t *bytes, size_t size,
                           struct error *error)
{
	int code;

	memset(reader, 0, sizeof(*reader));
	reader->bytes = bytes;
	reader->size = size;
	code = perf_pipe_is(bytes, size) ? load_stream(reader, error) : 0;
	if (!code)
		code = check_header(reader, error);
	if (!code)
		code = perf_reader_load_events(reader, error);
	if (!code && perf_unpack_is_due(reader))
		code = perf_unpack(reader, error);
	if (code)
		perf_reader_close(reader);
	return code;
}

int perf_reader_open(struct perf_reader *reader, const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat_of;
	void *mapping = MAP_FAILED;
	size_t size = 0;
	int code = 0;

	if (fd < 0)
		return error_errno(error, "opening %s", path);
	if (fstat(fd, &stat_of))
		code = error_errno(error, "looking at %s", path);
	else if (S_ISDIR(stat_of.st_mode))
		code = error_set(
		    error, -EISDIR,
		    "%s is a folder, as perf record --threads writes: record without it", path);
	else if (!S_ISREG(stat_of.st_mode) || !stat_of.st_size)
		code = error_set(error, -EPROTO, "%s is empty or no regular file", path);
	else
		size = (size_t)stat_of.st_size;
	if (!code) {
		mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (mapping == MAP_FAILED)
			code = error_errno(error, "mapping %s", path);
	}
	close(fd);
	if (code)
		return code;
	code = perf_reader_open_bytes(reader, mapping, size, error);
	if (code) {
		munmap(mapping, size);
		return error_prefix(error, code, "%s", path);
	}
	reader->mapping = mapping;
	reader->mapping_size = size;
	reader->path = path;
	return 0;
}

void perf_reader_close(struct perf_reader *reader)
{
	free(reader->events);
	free(reader->ids);
	free(reader->id_events);
	free(reader->scratch);
	free(reader->stream);
	free(reader->unpacked);
	if (reader->mapping)
		munmap(reader->mapping, reader->mapping_size);
	memset(reader, 0, sizeof(*reader));
}

bool perf_reader_is_whole(const struct perf_reader *reader)
{
	const struct perf_file_header *header = &reader->header;
	size_t size;

	for (unsigned bit = 0; bit < 8 * sizeof(header->features); bit++) {
		if (header->features[bit / 64] >> bit % 64 & 1 &&
		    !perf_reader_feature(reader, bit, &size))
			return false;
	}
	return !reader->cut;
}

static int broken(const struct perf_reader *reader, uint64_t at, const char *why,
                  struct error *error)
{
	return error_set(error, -EPROTO, "%s%srecord at offset 0x%" PRIx64 ": %s",
	                 reader->path ? reader->path : "", reader->path ? ": " : "",
	                 (reader->header.data.offset + at), why);
}

/* The record's bytes, aligned: in the file, or copied. */
static const void *aligned(struct perf_reader *reader, const uint8_t *bytes, size_t size)
{
	if ((uintptr_t)bytes % 8 == 0)
		return bytes;
	if (!reader->scratch)
		reader->scratch = malloc(UINT16_MAX + 1);
	if (reader->scratch)
		memcpy(reader->scratch, bytes, size);
	return reader->scratch;
}

static int at_end(const struct perf_reader *reader, struct error *error)
{
	if (!*reader->broken.text)
		return 0;
	return error_set(error, -EPROTO, "%s%s%.600s", reader->path ? reader->path : "",
	                 reader->path ? ": " : "", reader->broken.text);
}

int perf_reader_next(struct perf_reader *reader, uint64_t *offset,
                     struct perf_reader_record *record, struct error *error)
{
	uint64_t end = reader->records_size, at = *offset;
	const uint8_t *bytes = reader->records + at;
	struct perf_event_header header;

	if (at >= end)
		return at_end(reader, error);
	if (end - at < sizeof(header))
		return broken(reader, at, "cut off within its header", error);
	memcpy(&header, bytes, sizeof(header));
	/* perf inject writes build-id records of any size */
	if (header.size < sizeof(header) ||
	    (header.size % 8 && header.type < PERF_FILE_RECORD_FIRST))
		return broken(reader, at, "its size is impossible", error);
	if (header.size > end - at)
		return broken(reader, at, "cut off", error);
	*record = (struct perf_reader_record){ .offset = reader->header.data.offset + at };
	record->header = aligned(reader, bytes, header.size);
	if (!record->header)
		return error_set(error, -ENOMEM, "no memory for a record");
	at += header.size;
	if (header.type == PERF_FILE_RECORD_AUXTRACE) {
		if (header.size < sizeof(struct perf_file_auxtrace))
			return broken(reader, *offset, "its size is impossible", error);
		memcpy(&record->trace_size, bytes + sizeof(header), sizeof(uint64_t));
		if (record->trace_size > end - at)
			return broken(reader, *offset, "its AUX data are cut off", error);
		record->trace = bytes + header.size;
		at += record->trace_size;
	}
	*offset = at;
	return 1;
}

static uint32_t find_id(struct perf_reader *reader, uint64_t id)
{
	uint32_t low = 0, high = reader->id_count;

	if (id == reader->last_id)
		return reader->last_event;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (reader->ids[middle] == id) {
			reader->last_id = id;
			reader->last_event = reader->id_events[middle];
			return reader->last_event;
		}
		if (reader->ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return TR_NONE;
}

struct perf_reader_event *perf_reader_event_of(struct perf_reader *reader,
                                               const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)record;
	bool is_sample = record->type == PERF_RECORD_SAMPLE;
	size_t size = record->size / 8, at;
	uint32_t event;

	if (!reader->event_count || record->type >= PERF_FILE_RECORD_FIRST)
		return NULL;
	if (reader->event_count == 1 ||
	    (!is_sample && !(reader->events[0].attr.flags & PERF_ATTR_SAMPLE_ID_ALL)))
		return &reader->events[0];
	at = is_sample ? reader->id_word : size - reader->id_word_back;
	if (!at || at >= size)
		return NULL;
	/* Records that a tool added have id 0 and count as the first event's. */
	if (!words[at] && !is_sample)
		return &reader->events[0];
	event = find_id(reader, words[at]);
	return event == TR_NONE ? NULL : &reader->events[event];
}
