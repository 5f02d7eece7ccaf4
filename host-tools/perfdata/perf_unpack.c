/* SPDX-License-Identifier: MIT */
#include "host-tools/perfdata/perf_unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "writer/util/blob.h"

/* The largest ratio of unpacked to packed bytes; a larger one would be an attack on memory. A file
 * of any size may have one piece more. */
#define RATIO_MAX 1000U
#define FIRST_MAX (16U << 20)

struct unpacking {
	ZSTD_DCtx *stream;
	struct blob records; /* complete ones, in the order of the file */
	struct blob partial; /* unpacked bytes of a record whose end is in the next piece */
	uint64_t packed, unpacked;
	bool any;
};

bool perf_unpack_is_due(const struct perf_reader *reader)
{
	const uint64_t *features = reader->header.features;

	return features[0] >> PERF_FILE_COMPRESSED & 1 ||
	       !(features[0] | features[1] | features[2] | features[3]);
}

/* Move complete records from the unpacked bytes to the others. */
static int take_whole(struct unpacking *unpacking, struct error *error)
{
	struct blob *partial = &unpacking->partial;
	struct perf_event_header header;
	size_t end = 0;

	while (partial->size - end >= sizeof(header)) {
		memcpy(&header, partial->bytes + end, sizeof(header));
		if (header.size < sizeof(header))
			return error_set(error, -EPROTO,
			                 "a record inside has a size that is impossible");
		if (header.size > partial->size - end)
			break;
		end += header.size;
	}
	if (!end)
		return 0;
	blob_add(&unpacking->records, partial->bytes, end);
	memmove(partial->bytes, partial->bytes + end, partial->size - end);
	partial->size -= end;
	return 0;
}

static int unpack_piece(struct unpacking *unpacking, const uint8_t *bytes, size_t size,
                        struct error *error)
{
	ZSTD_inBuffer in = { bytes, size, 0 };
	uint8_t room[16384];

	for (bool is_full = false; in.pos < in.size || is_full;) {
		ZSTD_outBuffer out = { room, sizeof(room), 0 };
		size_t code = ZSTD_decompressStream(unpacking->stream, &out, &in);

		if (ZSTD_isError(code))
			return error_set(error, -EPROTO, "it does not unpack (zstd): %s",
			                 ZSTD_getErrorName(code));
		is_full = out.pos == out.size;
		unpacking->unpacked += out.pos;
		if (unpacking->unpacked > FIRST_MAX + unpacking->packed * RATIO_MAX)
			return error_set(error, -EPROTO,
			                 "it unpacks to more than %u times its size", RATIO_MAX);
		blob_add(&unpacking->partial, room, out.pos);
	}
	return take_whole(unpacking, error);
}

/* Get the packed bytes of a compressed record; false: it is not compressed. */
static bool piece_of(const struct perf_event_header *record, const uint8_t **bytes, size_t *size)
{
	const struct perf_file_compressed2 *padded = (const void *)record;

	*bytes = (const uint8_t *)(record + 1);
	*size = record->size - sizeof(*record);
	if (record->type != PERF_FILE_RECORD_COMPRESSED2)
		return record->type == PERF_FILE_RECORD_COMPRESSED;
	if (record->size < sizeof(*padded) || padded->size > record->size - sizeof(*padded)) {
		*size = 0;
		return true;
	}
	*bytes = (const uint8_t *)(padded + 1);
	*size = padded->size;
	return true;
}

static int add_record(struct unpacking *unpacking, const struct perf_reader_record *record,
                      struct error *error)
{
	const uint8_t *bytes;
	size_t size;
	int code = 0;

	if (piece_of(record->header, &bytes, &size)) {
		unpacking->any = true;
		unpacking->packed += size;
		code = size ? unpack_piece(unpacking, bytes, size, error)
		            : error_set(error, -EPROTO, "its size is impossible");
		if (code)
			error_prefix(error, code, "compressed record at offset 0x%" PRIx64,
			             record->offset);
	} else {
		blob_add(&unpacking->records, record->header, record->header->size);
		blob_add(&unpacking->records, record->trace, record->trace_size);
	}
	if (unpacking->records.failed || unpacking->partial.failed)
		return error_set(error, -ENOMEM, "no memory for the unpacked records");
	return code;
}

int perf_unpack(struct perf_reader *reader, struct error *error)
{
	struct unpacking unpacking = { .stream = ZSTD_createDCtx() };
	struct perf_reader_record record;
	struct error why = { "" };
	uint64_t offset = 0;
	int code = unpacking.stream ? 1 : error_set(&why, -ENOMEM, "no memory for zstd");

	while (code > 0 && (code = perf_reader_next(reader, &offset, &record, &why)) > 0) {
		code = add_record(&unpacking, &record, &why);
		code = code ? code : 1;
	}
	if (unpacking.any && code != -ENOMEM) {
		/* perf_reader_next() reports a record without an end. */
		if (!code)
			blob_add(&unpacking.records, unpacking.partial.bytes,
			         unpacking.partial.size);
		if (unpacking.records.failed)
			code = error_set(&why, -ENOMEM, "no memory for the unpacked records");
		reader->unpacked = unpacking.records.bytes;
		reader->records = unpacking.records.bytes;
		reader->records_size = unpacking.records.size;
		reader->broken = why;
		unpacking.records = (struct blob){ 0 };
	}
	blob_free(&unpacking.records);
	blob_free(&unpacking.partial);
	ZSTD_freeDCtx(unpacking.stream);
	if (code != -ENOMEM)
		return 0;
	*error = why;
	return code;
}
