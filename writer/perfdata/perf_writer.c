/* SPDX-License-Identifier: MIT */
/* Writing a perf.data file as the records arrive. */
#include "writer/perfdata/perf_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "writer/perfdata/perf_footer.h"

#define FLUSH_BYTES  (1U << 20)
#define DIRECT_BYTES (1U << 16) /* from here on a copy costs more than a call of the kernel */

static int writer_write_at(struct perf_writer *writer, const void *bytes, size_t size,
                           uint64_t offset)
{
	return writer->output_ops->write(writer->output, &(struct blob_piece){ bytes, size }, 1,
	                                 offset);
}

int perf_writer_fail(struct perf_writer *writer, int code)
{
	if (writer->failed)
		return writer->failed;
	errno = -code;
	writer->failed = error_errno(&writer->failure, "writing %s at offset %" PRIu64,
	                             writer->output_ops->path(writer->output),
	                             (writer->header.data.offset + writer->header.data.size));
	return code;
}

int perf_writer_open(struct perf_writer *writer, const struct perf_output_ops *ops,
                     const char *path, uint64_t room, struct error *error)
{
	int code;

	*writer = (struct perf_writer){ .output_ops = ops };
	code = writer->output_ops->open(&writer->output, path, room, error);
	writer->is_stream = !code && writer->output_ops->is_stream(writer->output);
	return code;
}

/* A stream has no header that could be written again. */
static int writer_write_header(struct perf_writer *writer)
{
	return writer->is_stream
	           ? 0
	           : writer_write_at(writer, &writer->header, sizeof(writer->header), 0);
}

static void writer_add_attrs(struct blob *blob, const struct perf_writer_event *events,
                             uint32_t count)
{
	uint64_t at = sizeof(struct perf_file_header);

	for (uint32_t i = 0; i < count; i++)
		blob_add(blob, events[i].ids, events[i].id_count * sizeof(uint64_t));
	for (uint32_t i = 0; i < count; i++) {
		struct perf_file_attr attr = {
			.attr = events[i].attr,
			.ids = { at, events[i].id_count * sizeof(uint64_t) },
		};

		blob_add(blob, &attr, sizeof(attr));
		at += attr.ids.size;
	}
}

static int writer_begin_stream(struct perf_writer *writer, const struct perf_writer_event *events,
                               uint32_t count, struct error *error)
{
	const struct perf_pipe_header header = { PERF_FILE_MAGIC, sizeof(header) };

	perf_writer_add(writer, &header, sizeof(header));
	for (uint32_t i = 0; i < count; i++) {
		struct perf_file_header_attr record = { .attr = events[i].attr };
		size_t ids = events[i].id_count * sizeof(uint64_t);

		if (sizeof(record) + ids > UINT16_MAX)
			return error_set(error, -E2BIG,
			                 "event %" PRIu32
			                 " is on more CPUs than a stream can list: "
			                 "name a file with -o",
			                 i);
		record.header.type = PERF_FILE_RECORD_HEADER_ATTR;
		record.header.size = (uint16_t)(sizeof(record) + ids);
		record.attr.size = sizeof(record.attr);
		perf_writer_add(writer, &record, sizeof(record));
		perf_writer_add(writer, events[i].ids, ids);
	}
	writer->begun = true;
	return 0;
}

int perf_writer_begin(struct perf_writer *writer, const struct perf_writer_event *events,
                      uint32_t count, struct error *error)
{
	struct perf_file_header *header = &writer->header;
	struct blob blob = { 0 };
	int code;

	if (writer->is_stream)
		return writer_begin_stream(writer, events, count, error);
	blob_extend(&blob, sizeof(*header));
	writer_add_attrs(&blob, events, count);
	if (blob.failed) {
		blob_free(&blob);
		return error_set(error, -ENOMEM, "no memory for the attributes");
	}
	*header = (struct perf_file_header){
		.magic = PERF_FILE_MAGIC,
		.size = sizeof(*header),
		.attr_size = sizeof(struct perf_file_attr),
		.attrs.size = count * sizeof(struct perf_file_attr),
		.data.offset = blob.size,
	};
	header->attrs.offset = blob.size - header->attrs.size;
	memcpy(blob.bytes, header, sizeof(*header));
	code = writer_write_at(writer, blob.bytes, blob.size, 0);
	blob_free(&blob);
	if (code) {
		perf_writer_fail(writer, code);
		*error = writer->failure;
		return code;
	}
	writer->begun = true;
	return 0;
}

/* The header is written last: the file then has all that the header announces. */
void perf_writer_add_pieces(struct perf_writer *writer, const struct blob_piece *pieces, int count)
{
	struct perf_file_header *header = &writer->header;
	struct blob_piece all[1 + PERF_WRITER_PIECES] = {
		{ writer->buffer.bytes, writer->buffer.size },
	};
	size_t size = 0;
	int code;

	if (writer->failed)
		return;
	for (int i = 0; i < count; i++) {
		all[i + 1] = pieces[i];
		size += pieces[i].size;
	}
	code = writer->output_ops->write(writer->output, all, count + 1,
	                                 header->data.offset + header->data.size);
	if (!code) {
		header->data.size += writer->buffer.size + size;
		writer->buffer.size = 0;
		code = writer_write_header(writer);
	}
	if (code)
		perf_writer_fail(writer, code);
}

void perf_writer_add(struct perf_writer *writer, const void *records, size_t size)
{
	if (size >= DIRECT_BYTES) {
		perf_writer_add_pieces(writer, &(struct blob_piece){ records, size }, 1);
		return;
	}
	if (writer->failed)
		return;
	blob_add(&writer->buffer, records, size);
	if (writer->buffer.failed)
		perf_writer_fail(writer, -ENOMEM);
	else if (writer->buffer.size >= FLUSH_BYTES)
		perf_writer_flush(writer);
}

void perf_writer_flush(struct perf_writer *writer)
{
	if (!writer->failed && writer->buffer.size)
		perf_writer_add_pieces(writer, NULL, 0);
}

void perf_writer_resume(struct perf_writer *writer, uint64_t data_size)
{
	writer->header.data.size = data_size;
	writer->buffer.size = 0;
}

uint64_t perf_writer_size(const struct perf_writer *writer)
{
	return writer->header.data.offset + writer->header.data.size + writer->buffer.size;
}

/* Write the feature table and its contents at *at, which is moved behind them. */
static int writer_write_features(struct perf_writer *writer, const struct perf_writer_end *end,
                                 uint64_t *at)
{
	struct perf_file_header *header = &writer->header;
	struct blob table = { 0 };
	uint64_t next = *at + end->feature_count * sizeof(struct perf_file_section);
	int code;

	for (size_t i = 0; i < end->feature_count; i++) {
		unsigned bit = end->features[i].bit;

		header->features[bit / 64] |= 1ULL << bit % 64;
		blob_u64(&table, next);
		blob_u64(&table, end->features[i].blob.size);
		next += end->features[i].blob.size;
	}
	code = table.failed ? -ENOMEM : writer_write_at(writer, table.bytes, table.size, *at);
	*at += table.size;
	for (size_t i = 0; i < end->feature_count && !code; i++) {
		const struct blob *blob = &end->features[i].blob;

		code = writer_write_at(writer, blob->bytes, blob->size, *at);
		*at += blob->size;
	}
	blob_free(&table);
	return code;
}

/* Write ledger and footer at *at, which is moved behind them. */
static int writer_write_ledger(struct perf_writer *writer, const struct blob *ledger, uint64_t *at)
{
	struct perf_footer footer = {
		.magic = PERF_FOOTER_MAGIC,
		.version = PERF_FOOTER_VERSION,
		.offset = *at,
		.size = ledger->size,
	};
	int code = writer_write_at(writer, ledger->bytes, ledger->size, *at);

	*at += ledger->size;
	footer.crc = perf_footer_crc(&footer, ledger->bytes);
	if (!code)
		code = writer_write_at(writer, &footer, sizeof(footer), *at);
	writer->header.event_types = (struct perf_file_section){ *at, sizeof(footer) };
	*at += sizeof(footer);
	return code;
}

/* perf goes to every piece that AUXTRACE's index names: leave out those that are not there, as on a
 * full disk. They are its last, since pieces are appended. */
static void writer_cut_index(const struct perf_writer *writer, const struct perf_writer_end *end)
{
	const struct perf_file_section *data = &writer->header.data;

	for (size_t i = 0; i < end->feature_count; i++) {
		const struct perf_writer_feature *feature = &end->features[i];
		uint64_t *count = (uint64_t *)(void *)feature->blob.bytes;
		const struct perf_file_section *pieces;
		uint64_t most;

		if (feature->bit != PERF_FILE_AUXTRACE || feature->blob.size < sizeof(*count))
			continue;
		pieces = (const void *)(count + 1);
		most = (feature->blob.size - sizeof(*count)) / sizeof(*pieces);
		*count = *count < most ? *count : most;
		while (*count && pieces[*count - 1].offset >= data->offset + data->size)
			--*count;
	}
}

/* Write the part behind the data; the header in memory announces it if it is complete. */
static int writer_write_end(struct perf_writer *writer, const struct perf_writer_end *end)
{
	struct perf_file_header *header = &writer->header;
	uint64_t at = header->data.offset + header->data.size;
	int code;

	if (writer->is_stream)
		return 0;
	writer_cut_index(writer, end);
	code = writer_write_features(writer, end, &at);
	if (!code && end->ledger.size)
		code = writer_write_ledger(writer, &end->ledger, &at);
	if (!code)
		code = writer->output_ops->cut(writer->output, at);
	if (code) {
		memset(header->features, 0, sizeof(header->features));
		header->event_types = (struct perf_file_section){ 0 };
	}
	return code;
}

/* Read the header of the record at offset; false at the end or if it cannot be one. */
static bool writer_record_at(struct perf_writer *writer, uint64_t offset, uint64_t end,
                             uint64_t *next)
{
	struct perf_file_auxtrace record = { 0 };
	long got = writer->output_ops->read(writer->output, &record, sizeof(record), offset);

	if (got < (long)sizeof(record.header) || record.header.size < sizeof(record.header))
		return false;
	*next = offset + record.header.size;
	if (record.header.type == PERF_FILE_RECORD_AUXTRACE)
		*next += record.size;
	return *next <= end;
}

/* Shorten the data by whole records so that room bytes are free behind them. */
static void writer_make_room(struct perf_writer *writer, uint64_t room)
{
	struct perf_file_section *data = &writer->header.data;
	uint64_t end = data->offset + data->size;
	uint64_t limit = data->size > room ? end - room : data->offset;
	uint64_t at = data->offset, next;

	if (limit < data->offset + writer->kept)
		limit = data->offset + writer->kept;
	while (writer_record_at(writer, at, limit, &next))
		at = next;
	data->size = at - data->offset;
}

/* The writer has failed, most likely because the disk is full. Save the rest of the file. */
static void writer_salvage(struct perf_writer *writer, const struct perf_writer_end *end)
{
	struct perf_file_section *data = &writer->header.data;
	uint64_t room = end->feature_count * sizeof(struct perf_file_section) + end->ledger.size +
	                sizeof(struct perf_footer);

	for (size_t i = 0; i < end->feature_count; i++)
		room += end->features[i].blob.size;
	if (writer_write_end(writer, end)) {
		writer_make_room(writer, room + TR_PAGE);
		if (writer_write_end(writer, end) &&
		    writer->output_ops->cut(writer->output, data->offset + data->size))
			say("%s: bytes behind its end could not be cut off",
			    writer->output_ops->path(writer->output));
	}
	if (writer_write_at(writer, &writer->header, sizeof(writer->header), 0))
		say("%s: its header could not be completed",
		    writer->output_ops->path(writer->output));
}

int perf_writer_finish(struct perf_writer *writer, const struct perf_writer_end *end,
                       struct error *error)
{
	int code;

	perf_writer_flush(writer);
	if (!writer->failed) {
		code = end->ledger.failed ? -ENOMEM : writer_write_end(writer, end);
		if (!code)
			code = writer_write_header(writer);
		if (code)
			perf_writer_fail(writer, code);
	}
	if (writer->failed && writer->begun && !writer->is_stream)
		writer_salvage(writer, end);
	code = writer->output_ops->finish(writer->output);
	if (code)
		perf_writer_fail(writer, code);
	code = writer->failed;
	if (code)
		*error = writer->failure;
	perf_writer_abandon(writer);
	return code;
}

void perf_writer_abandon(struct perf_writer *writer)
{
	if (writer->output)
		writer->output_ops->close(writer->output, writer->begun);
	blob_free(&writer->buffer);
	writer->output = NULL;
}
