/* SPDX-License-Identifier: MIT */
/* Writing a perf.data file as the records arrive. */
#include "host-tools/perfdata/perf_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/perfdata/perf_footer.h"
#include "host-tools/util/output.h"

#define FLUSH_BYTES  (1U << 20)
#define DIRECT_BYTES (1U << 16) /* from here on a copy costs more than a call of the kernel */

static int write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const uint8_t *from = bytes;

	while (size) {
		ssize_t done = pwrite(fd, from, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		from += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

int perf_writer_fail(struct perf_writer *writer, int code)
{
	if (writer->failed)
		return writer->failed;
	errno = -code;
	writer->failed = error_errno(&writer->failure, "writing %s at offset %" PRIu64,
	                             writer->path,
	                             (writer->header.data.offset + writer->header.data.size));
	return code;
}

/* Have the file's first block, so that a full disk is known now. The file stays empty until a
 * recording begins: who is killed before leaves nothing that the next takes for one and keeps.
 * Where there is no fallocate(2) it is written. */
static int take_room(int fd)
{
	const struct perf_file_header nothing = { .magic = PERF_FILE_MAGIC,
		                                  .size = sizeof(nothing) };

	if (!fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, TR_PAGE))
		return 0;
	return errno == EOPNOTSUPP || errno == ENODEV || errno == ESPIPE || errno == EINVAL
	           ? write_at(fd, &nothing, sizeof(nothing), 0)
	           : -errno;
}

int perf_writer_open(struct perf_writer *writer, const char *path, struct error *error)
{
	int code;

	memset(writer, 0, sizeof(*writer));
	writer->fd = output_open(path, &writer->path, &writer->old, error);
	if (writer->fd < 0)
		return writer->fd;
	code = take_room(writer->fd);
	if (!code)
		return 0;
	errno = -code;
	error_errno(error, "writing %s", path);
	perf_writer_abandon(writer);
	return code;
}

static void add_attrs(struct blob *blob, const struct perf_writer_event *events, uint32_t count)
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

int perf_writer_begin(struct perf_writer *writer, const struct perf_writer_event *events,
                      uint32_t count, struct error *error)
{
	struct perf_file_header *header = &writer->header;
	struct blob blob = { 0 };
	int code;

	blob_extend(&blob, sizeof(*header));
	add_attrs(&blob, events, count);
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
	code = write_at(writer->fd, blob.bytes, blob.size, 0);
	blob_free(&blob);
	if (code) {
		perf_writer_fail(writer, code);
		*error = writer->failure;
		return code;
	}
	writer->begun = true;
	return 0;
}

/* Pass over what was written of the pieces; how many are left, from *pieces on. */
static int pass_over(struct iovec **pieces, int count, size_t done)
{
	while (count && done >= (*pieces)->iov_len) {
		done -= (*pieces)->iov_len;
		(*pieces)++;
		count--;
	}
	if (count) {
		(*pieces)->iov_base = (uint8_t *)(*pieces)->iov_base + done;
		(*pieces)->iov_len -= done;
	}
	return count;
}

static int write_pieces(int fd, struct iovec *pieces, int count, uint64_t offset)
{
	count = pass_over(&pieces, count, 0);
	while (count) {
		ssize_t done = pwritev(fd, pieces, count, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		offset += (uint64_t)done;
		count = pass_over(&pieces, count, (size_t)done);
	}
	return 0;
}

/* The header last: what it tells of is there. */
void perf_writer_add_pieces(struct perf_writer *writer, const struct iovec *pieces, int count)
{
	struct perf_file_header *header = &writer->header;
	struct iovec all[1 + PERF_WRITER_PIECES] = {
		{ writer->buffer.bytes, writer->buffer.size },
	};
	size_t size = 0;
	int code;

	if (writer->failed)
		return;
	for (int i = 0; i < count; i++) {
		all[i + 1] = pieces[i];
		size += pieces[i].iov_len;
	}
	code = write_pieces(writer->fd, all, count + 1, header->data.offset + header->data.size);
	if (!code) {
		header->data.size += writer->buffer.size + size;
		writer->buffer.size = 0;
		code = write_at(writer->fd, header, sizeof(*header), 0);
	}
	if (code)
		perf_writer_fail(writer, code);
}

void perf_writer_add(struct perf_writer *writer, const void *records, size_t size)
{
	if (size >= DIRECT_BYTES) {
		perf_writer_add_pieces(writer, &(struct iovec){ (void *)(uintptr_t)records, size },
		                       1);
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
static int write_features(struct perf_writer *writer, const struct perf_writer_end *end,
                          uint64_t *at)
{
	struct perf_file_header *header = &writer->header;
	uint64_t table_at = *at;
	struct blob table = { 0 };
	int code = 0;

	*at += end->feature_count * sizeof(struct perf_file_section);
	for (size_t i = 0; i < end->feature_count && !code; i++) {
		unsigned bit = end->features[i].bit;
		const struct blob *blob = &end->features[i].blob;

		header->features[bit / 64] |= 1ULL << bit % 64;
		blob_u64(&table, *at);
		blob_u64(&table, blob->size);
		code = write_at(writer->fd, blob->bytes, blob->size, *at);
		*at += blob->size;
	}
	if (!code && table.failed)
		code = -ENOMEM;
	if (!code)
		code = write_at(writer->fd, table.bytes, table.size, table_at);
	blob_free(&table);
	return code;
}

/* Write ledger and footer at *at, which is moved behind them. */
static int write_ledger(struct perf_writer *writer, const struct blob *ledger, uint64_t *at)
{
	struct perf_footer footer = {
		.magic = PERF_FOOTER_MAGIC,
		.version = PERF_FOOTER_VERSION,
		.offset = *at,
		.size = ledger->size,
	};
	int code = write_at(writer->fd, ledger->bytes, ledger->size, *at);

	*at += ledger->size;
	footer.crc = perf_footer_crc(&footer, ledger->bytes);
	if (!code)
		code = write_at(writer->fd, &footer, sizeof(footer), *at);
	writer->header.event_types = (struct perf_file_section){ *at, sizeof(footer) };
	*at += sizeof(footer);
	return code;
}

/* perf goes to every piece that AUXTRACE's index names: leave out those that are not there, as on a
 * full disk. They are its last, since pieces are appended. */
static void cut_index(const struct perf_writer *writer, const struct perf_writer_end *end)
{
	const struct perf_file_section *data = &writer->header.data;

	for (size_t i = 0; i < end->feature_count; i++) {
		const struct perf_writer_feature *feature = &end->features[i];
		uint64_t *count = (uint64_t *)(void *)feature->blob.bytes;
		const struct perf_file_section *pieces;

		if (feature->bit != PERF_FILE_AUXTRACE || !count)
			continue;
		pieces = (const void *)(count + 1);
		while (*count && pieces[*count - 1].offset >= data->offset + data->size)
			--*count;
	}
}

/* Write what stands behind the data; the header in memory tells of it if it is all there. */
static int write_end(struct perf_writer *writer, const struct perf_writer_end *end)
{
	struct perf_file_header *header = &writer->header;
	uint64_t at = header->data.offset + header->data.size;
	int code;

	cut_index(writer, end);
	code = write_features(writer, end, &at);
	if (!code && end->ledger.size)
		code = write_ledger(writer, &end->ledger, &at);
	if (!code && ftruncate(writer->fd, (off_t)at) && errno != EINVAL)
		code = -errno;
	if (code) {
		memset(header->features, 0, sizeof(header->features));
		header->event_types = (struct perf_file_section){ 0 };
	}
	return code;
}

/* Read the header of the record at offset; false at the end or if it cannot be one. */
static bool record_at(struct perf_writer *writer, uint64_t offset, uint64_t end, uint64_t *next)
{
	struct perf_file_auxtrace record = { 0 };
	ssize_t got = pread(writer->fd, &record, sizeof(record), (off_t)offset);

	if (got < (ssize_t)sizeof(record.header) || record.header.size < sizeof(record.header))
		return false;
	*next = offset + record.header.size;
	if (record.header.type == PERF_FILE_RECORD_AUXTRACE)
		*next += record.size;
	return *next <= end;
}

/* Shorten the data by whole records so that room bytes are free behind them. */
static void make_room(struct perf_writer *writer, uint64_t room)
{
	struct perf_file_section *data = &writer->header.data;
	uint64_t end = data->offset + data->size;
	uint64_t limit = data->size > room ? end - room : data->offset;
	uint64_t at = data->offset, next;

	while (record_at(writer, at, limit, &next))
		at = next;
	data->size = at - data->offset;
}

/* The writer has failed, most likely because the disk is full. Save what can be saved. */
static void salvage(struct perf_writer *writer, const struct perf_writer_end *end)
{
	struct perf_file_section *data = &writer->header.data;
	uint64_t room = end->feature_count * sizeof(struct perf_file_section) + end->ledger.size +
	                sizeof(struct perf_footer);

	for (size_t i = 0; i < end->feature_count; i++)
		room += end->features[i].blob.size;
	if (write_end(writer, end)) {
		make_room(writer, room + TR_PAGE);
		if (write_end(writer, end) &&
		    ftruncate(writer->fd, (off_t)(data->offset + data->size)))
			say("%s: bytes behind its end could not be cut off", writer->path);
	}
	if (write_at(writer->fd, &writer->header, sizeof(writer->header), 0))
		say("%s: its header could not be completed", writer->path);
}

int perf_writer_finish(struct perf_writer *writer, const struct perf_writer_end *end,
                       struct error *error)
{
	int code;

	perf_writer_flush(writer);
	if (!writer->failed) {
		code = end->ledger.failed ? -ENOMEM : write_end(writer, end);
		if (!code)
			code = write_at(writer->fd, &writer->header, sizeof(writer->header), 0);
		if (code)
			perf_writer_fail(writer, code);
	}
	if (writer->failed && writer->begun)
		salvage(writer, end);
	if (close(writer->fd) && !writer->failed)
		perf_writer_fail(writer, -errno);
	writer->fd = -1;
	code = writer->failed;
	if (code)
		*error = writer->failure;
	perf_writer_abandon(writer);
	return code;
}

void perf_writer_abandon(struct perf_writer *writer)
{
	if (writer->fd >= 0) {
		struct stat stat_of;
		bool regular = !fstat(writer->fd, &stat_of) && S_ISREG(stat_of.st_mode);

		/* While the lock is ours, the names are. */
		if (!writer->begun && writer->old && rename(writer->old, writer->path))
			say("%s is now %s", writer->path, writer->old);
		else if (!writer->begun && !writer->old && regular)
			unlink(writer->path);
		close(writer->fd);
	}
	free(writer->path);
	free(writer->old);
	blob_free(&writer->buffer);
	writer->fd = -1;
	writer->path = writer->old = NULL;
}
