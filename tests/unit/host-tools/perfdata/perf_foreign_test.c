/* SPDX-License-Identifier: MIT */
/* Files as Linux's perf writes them and bareperf does not: ids in other places, compressed, from a
 * pipe, from a recorder that was killed, from other versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "host-tools/perfdata/perf_reader.h"
#include "tests/unit/temporary.h"
#include "writer/perfdata/sample.h"
#include "writer/util/blob.h"

#define RECORDS 90
#define TYPE                                                                                       \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static const uint64_t ids[3] = { 70, 71, 72 };
static struct error error;
static struct blob records, file;
static uint64_t types[3];

/* Sample i belongs to event i % 3; every tenth is followed by a COMM record of the same event. */
static void put_records(void)
{
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct perf_event_header sample = { PERF_RECORD_SAMPLE, 2, 72 };
		const uint64_t words[] = { 0x1000 + i, 5, i, 0xadd, ids[i % 3], 99, 1, 1000 };
		const struct perf_event_header comm = { PERF_RECORD_COMM, 0, 64 };
		const uint64_t named[] = { 5, 'w', 5, i, ids[i % 3], 99, 1 };

		blob_add(&records, &sample, sizeof(sample));
		blob_add(&records, words, sizeof(words));
		if (i % 10)
			continue;
		blob_add(&records, &comm, sizeof(comm));
		blob_add(&records, named, sizeof(named));
	}
}

static struct perf_event_attr attr_of(size_t event)
{
	return (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
		                         .size = PERF_ATTR_SIZE_VER7,
		                         .config = event,
		                         .sample_type = types[event],
		                         .flags = PERF_ATTR_SAMPLE_ID_ALL };
}

/* A file with these records, and with these features, all empty. */
static void put_file(const void *bytes, size_t size, uint64_t features)
{
	struct perf_file_header header = {
		.magic = PERF_FILE_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct perf_file_attr),
		.attrs = { sizeof(header), 3 * sizeof(struct perf_file_attr) },
		.data.size = size,
		.features[0] = features,
	};
	const uint64_t ids_at = header.attrs.offset + header.attrs.size;
	struct perf_file_section end = { 0 };

	header.data.offset = ids_at + sizeof(ids);
	blob_free(&file);
	blob_add(&file, &header, sizeof(header));
	for (size_t i = 0; i < 3; i++) {
		const struct perf_file_attr attr = {
			attr_of(i),
			{ ids_at + i * sizeof(ids[0]), sizeof(ids[0]) },
		};

		blob_add(&file, &attr, sizeof(attr));
	}
	blob_add(&file, ids, sizeof(ids));
	blob_add(&file, bytes, size);
	end.offset = file.size + (uint64_t)__builtin_popcountll(features) * sizeof(end);
	for (; features; features &= features - 1)
		blob_add(&file, &end, sizeof(end));
	assert_false(file.failed);
}

static struct perf_file_header *header_of(void)
{
	return (void *)file.bytes;
}

static int setup(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		types[i] = TYPE;
	put_records();
	return records.failed;
}

static int teardown(void **state)
{
	(void)state;
	blob_free(&records);
	blob_free(&file);
	return 0;
}

/* The number of samples that are read, each for its event; -EPROTO: reading ends with an error. */
static int read_bytes(const uint8_t *bytes, size_t size, int *samples)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;
	int code = perf_reader_open_bytes(&reader, bytes, size, &error);

	*samples = 0;
	if (code)
		return code;
	while ((code = perf_reader_next(&reader, &offset, &record, &error)) > 0) {
		const struct perf_reader_event *event =
		    perf_reader_event_of(&reader, record.header);
		struct sample sample;

		if (record.header->type >= PERF_FILE_RECORD_FIRST)
			continue;
		assert_non_null(event);
		if (record.header->type == PERF_RECORD_COMM)
			assert_true(sample_parse_trailer(record.header, TYPE, &sample));
		else
			assert_true(sample_parse(record.header,
			                         &(struct perf_event_attr){ .sample_type = TYPE },
			                         &sample));
		assert_int_equal(event - reader.events, sample.time % 3);
		if (record.header->type == PERF_RECORD_SAMPLE)
			assert_int_equal(sample.ip, 0x1000 + (*samples)++);
	}
	code = code || perf_reader_is_whole(&reader) ? code : -ENODATA;
	perf_reader_close(&reader);
	return code;
}

static int read_file(int *samples)
{
	return read_bytes(file.bytes, file.size, samples);
}

static void ids_lie_where_the_sample_type_puts_them(void **state)
{
	int samples;

	(void)state;
	put_file(records.bytes, records.size, 0);
	assert_int_equal(read_file(&samples), 0);
	assert_int_equal(samples, RECORDS);
}

static void events_that_cannot_be_distinguished_are_an_error(void **state)
{
	static const uint64_t others[] = {
		TYPE & ~(uint64_t)PERF_SAMPLE_ADDR, /* ids have another place in these samples */
		TYPE & ~(uint64_t)PERF_SAMPLE_CPU,  /* ids have another place in other records */
		TYPE & ~(uint64_t)PERF_SAMPLE_ID,   /* none */
		TYPE | PERF_SAMPLE_IDENTIFIER,
	};
	int samples;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		types[2] = others[i];
		put_file(records.bytes, records.size, 0);
		assert_int_equal(read_file(&samples), -EPROTO);
		assert_non_null(strstr(error.text, "which event a record is of"));
	}
	types[0] = types[1] = types[2] = TYPE & ~(uint64_t)PERF_SAMPLE_ID;
	put_file(records.bytes, records.size, 0);
	assert_int_equal(read_file(&samples), -EPROTO);
}

/* ---- Compressed ---- */

/* Compress all records as one stream. It is cut into pieces at any byte, which are COMPRESSED and
 * COMPRESSED2 records in turn; a record that is not compressed precedes each piece. */
static void compress(struct blob *to, const void *bytes, size_t size)
{
	const struct perf_event_header round = { PERF_FILE_RECORD_FINISHED_ROUND, 0, 8 };
	size_t room = ZSTD_compressBound(size), packed, at = 0;
	uint8_t *all = malloc(room);

	assert_non_null(all);
	packed = ZSTD_compress(all, room, bytes, size, 1);
	assert_false(ZSTD_isError(packed));
	for (unsigned i = 0; at < packed; i++) {
		struct perf_file_compressed2 head = { .header.size = sizeof(head) };
		size_t part = packed - at < 101 ? packed - at : 101;

		blob_add(to, &round, sizeof(round));
		head.header.type = i & 1 ? PERF_FILE_RECORD_COMPRESSED
		                         : PERF_FILE_RECORD_COMPRESSED2;
		head.size = part;
		head.header.size = (uint16_t)(part + (i & 1 ? 8 : sizeof(head)));
		head.header.size += (uint16_t)(i & 1 ? 0 : -head.header.size & 7);
		blob_add(to, &head, i & 1 ? 8 : sizeof(head));
		blob_add(to, all + at, part);
		blob_extend(to, head.header.size - part - (i & 1 ? 8 : sizeof(head)));
		at += part;
	}
	free(all);
	assert_false(to->failed);
}

static void compressed_records_are_those_that_were_packed(void **state)
{
	static const uint64_t features[] = { 0, 1ULL << PERF_FILE_COMPRESSED };
	struct blob packed = { 0 };
	int samples;

	(void)state;
	compress(&packed, records.bytes, records.size);
	assert_true(packed.size > 3 * 101);
	for (size_t i = 0; i < 2; i++) {
		put_file(packed.bytes, packed.size, features[i]);
		assert_int_equal(read_file(&samples), 0);
		assert_int_equal(samples, RECORDS);
	}
	blob_free(&packed);
}

static void compressed_records_end_where_they_are_cut_or_damaged(void **state)
{
	struct blob packed = { 0 };
	int samples, most = 0;

	(void)state;
	compress(&packed, records.bytes, records.size);
	put_file(packed.bytes, packed.size, 1ULL << PERF_FILE_COMPRESSED);
	for (size_t length = header_of()->data.offset; length < file.size; length++) {
		uint8_t *copy = malloc(length);

		assert_non_null(copy);
		memcpy(copy, file.bytes, length);
		assert_true(read_bytes(copy, length, &samples) < 0);
		assert_true(samples >= most);
		most = samples;
		free(copy);
	}
	assert_int_equal(most, RECORDS);
	/* damaged from the second piece on */
	memset(file.bytes + header_of()->data.offset + 150, 0xff, 90);
	assert_int_equal(read_file(&samples), -EPROTO);
	/* not zstd data */
	memset(file.bytes + header_of()->data.offset + 24, 0xff, 4);
	assert_int_equal(read_file(&samples), -EPROTO);
	assert_non_null(strstr(error.text, ": it does not unpack (zstd)"));
	/* and a header that claims a larger size */
	put_file(packed.bytes, packed.size, 1ULL << PERF_FILE_COMPRESSED);
	file.bytes[header_of()->data.offset + 8 + 8] = 0xff;
	assert_int_equal(read_file(&samples), -EPROTO);
	assert_non_null(strstr(error.text, "its size is impossible"));
	blob_free(&packed);
}

static void little_that_unpacks_to_very_much_is_refused(void **state)
{
	size_t size = 64U << 20;
	uint8_t *zeros = calloc(1, size);
	struct blob packed = { 0 };
	int samples;

	(void)state;
	assert_non_null(zeros);
	for (size_t at = 0; at < size;
	     at += 0x8000) /* the records that are compressed, all the same */
		memcpy(zeros + at, &(struct perf_event_header){ PERF_FILE_RECORD_FIRST, 0, 0x8000 },
		       8);
	compress(&packed, zeros, size);
	assert_true(packed.size < size / 1000);
	put_file(packed.bytes, packed.size, 0);
	assert_int_equal(read_file(&samples), -EPROTO);
	assert_non_null(strstr(error.text, "more than 1000 times its size"));
	blob_free(&packed);
	free(zeros);
}

/* ---- A pipe's stream ---- */

static void put_stream(struct blob *stream)
{
	const struct perf_pipe_header header = { PERF_FILE_MAGIC, sizeof(header) };
	struct perf_file_header_feature host = { { PERF_FILE_RECORD_HEADER_FEATURE, 0, 0 },
		                                 PERF_FILE_HOSTNAME };
	const struct perf_event_header tracing = { PERF_FILE_RECORD_TRACING_DATA, 0, 16 };
	struct blob name = { 0 };

	blob_add(stream, &header, sizeof(header));
	for (size_t i = 0; i < 3; i++) {
		struct perf_file_header_attr attr = { { PERF_FILE_RECORD_HEADER_ATTR, 0, 0 },
			                              attr_of(i) };

		attr.header.size = sizeof(attr) + sizeof(ids[i]);
		blob_add(stream, &attr, sizeof(attr));
		blob_add(stream, ids + i, sizeof(ids[i]));
	}
	blob_perf_string(&name, "a host");
	host.header.size = (uint16_t)(sizeof(host) + name.size);
	blob_add(stream, &host, sizeof(host));
	blob_add(stream, name.bytes, name.size);
	blob_free(&name);
	/* formats of tracepoints: bytes behind their record that are not records */
	blob_add(stream, &tracing, sizeof(tracing));
	blob_u64(stream, 13);
	blob_add(stream, "\x09\0\0\0\0\0\x03\0 16 bytes", 16);
}

static void a_stream_is_read_as_a_file(void **state)
{
	struct blob stream = { 0 };
	struct perf_reader reader;
	char host[16];
	int samples;

	(void)state;
	put_stream(&stream);
	blob_add(&stream, records.bytes, records.size);
	assert_int_equal(read_bytes(stream.bytes, stream.size, &samples), 0);
	assert_int_equal(samples, RECORDS);
	assert_int_equal(perf_reader_open_bytes(&reader, stream.bytes, stream.size, &error), 0);
	perf_reader_string(&reader, PERF_FILE_HOSTNAME, host, sizeof(host));
	assert_string_equal(host, "a host");
	perf_reader_close(&reader);
	blob_free(&stream);
}

static void a_stream_cut_anywhere_gives_whole_records_and_an_error(void **state)
{
	struct blob stream = { 0 };
	size_t start;
	int samples, most = 0;

	(void)state;
	put_stream(&stream);
	start = stream.size;
	blob_add(&stream, records.bytes, records.size);
	for (size_t length = 0; length < stream.size; length++) {
		uint8_t *copy = malloc(length + !length);
		int code;

		assert_non_null(copy);
		memcpy(copy, stream.bytes, length);
		code = read_bytes(copy, length, &samples);
		/* between records the damage cannot be detected */
		assert_true(code == -EPROTO || !code);
		assert_true(samples >= most);
		most = samples;
		free(copy);
	}
	assert_int_equal(most, RECORDS - 1);
	/* the first sample's size */
	stream.bytes[start + 6] = 4;
	assert_int_equal(read_bytes(stream.bytes, stream.size, &samples), -EPROTO);
	assert_non_null(strstr(error.text, "of the stream: its size is impossible"));
	assert_int_equal(samples, 0);
	blob_free(&stream);
}

/* ---- Others ---- */

static void a_killed_recorder_leaves_the_records_it_had_written(void **state)
{
	int samples;

	(void)state;
	/* perf writes at its start which features there will be, and at its end their places. */
	put_file(records.bytes, records.size, 0);
	header_of()->data.size = 0;
	header_of()->features[0] = 0xd670fffc;
	assert_int_equal(read_file(&samples), -ENODATA);
	assert_int_equal(samples, RECORDS);
	/* A finished file without records is complete. */
	put_file(NULL, 0, 0x38);
	assert_int_equal(read_file(&samples), 0);
	assert_int_equal(samples, 0);
}

static void a_file_without_its_features_is_not_whole(void **state)
{
	int samples;

	(void)state;
	put_file(records.bytes, records.size, 0x38);
	assert_int_equal(read_file(&samples), 0);
	file.size--;
	assert_int_equal(read_file(&samples), -ENODATA);
	assert_int_equal(samples, RECORDS);
}

static void another_age_or_kind_of_file_is_named(void **state)
{
	char place[PATH_MAX];
	struct perf_reader reader;
	int samples;

	(void)state;
	put_file(records.bytes, records.size, 0);
	memcpy(file.bytes, "PERFFILE", 8);
	assert_int_equal(read_file(&samples), -EPROTO);
	assert_non_null(strstr(error.text, "perf's version 1"));
	memcpy(file.bytes, "2ELIFREP", 8);
	assert_int_equal(read_file(&samples), -EPROTO);
	assert_non_null(strstr(error.text, "big-endian"));
	temporary_path(place, "perf-folder");
	assert_int_equal(mkdir(place, 0700), 0);
	assert_int_equal(perf_reader_open(&reader, place, &error), -EISDIR);
	assert_non_null(strstr(error.text, "perf record --threads"));
	rmdir(place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(ids_lie_where_the_sample_type_puts_them),
		TEST(events_that_cannot_be_distinguished_are_an_error),
		TEST(compressed_records_are_those_that_were_packed),
		TEST(compressed_records_end_where_they_are_cut_or_damaged),
		TEST(little_that_unpacks_to_very_much_is_refused),
		TEST(a_stream_is_read_as_a_file),
		TEST(a_stream_cut_anywhere_gives_whole_records_and_an_error),
		TEST(a_killed_recorder_leaves_the_records_it_had_written),
		TEST(a_file_without_its_features_is_not_whole),
		TEST(another_age_or_kind_of_file_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
