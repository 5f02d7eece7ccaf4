/* SPDX-License-Identifier: MIT */
/* Writing perf.data and reading it back: complete, cut off, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/perfdata/perf_output_file.h"
#include "host-tools/perfdata/perf_reader.h"
#include "tests/unit/temporary.h"
#include "writer/perfdata/perf_writer.h"

#define RECORDS 100
#define SIZE    32 /* bytes of a record: header, IDENTIFIER, IP, PERIOD */
#define LEDGER  "ledger"

static char path[PATH_MAX], old_path[PATH_MAX + 4];
static struct error error;
static const uint64_t ids[] = { 7, 9, 8 };
static uint8_t *bytes; /* the file */
static size_t size;

static const struct perf_writer_event events[] = {
	{ .attr = { .type = PERF_TYPE_HARDWARE,
	            .size = PERF_ATTR_SIZE_VER7,
	            .config = PERF_COUNT_HW_CPU_CYCLES,
	            .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
	            .flags = PERF_ATTR_SAMPLE_ID_ALL },
	  .ids = ids,
	  .id_count = 2 },
	{ .attr = { .type = PERF_TYPE_RAW,
	            .size = PERF_ATTR_SIZE_VER7,
	            .config = 0xc4,
	            .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
	            .flags = PERF_ATTR_SAMPLE_ID_ALL },
	  .ids = ids + 2,
	  .id_count = 1 },
};

static void write_records(struct perf_writer *writer, int count)
{
	for (int i = 0; i < count; i++) {
		const struct perf_event_header header = { PERF_RECORD_SAMPLE, 2, SIZE };
		const uint64_t words[] = { ids[i % 3], 0x1000 + (uint64_t)i, 1 };

		perf_writer_add(writer, &header, sizeof(header));
		perf_writer_add(writer, words, sizeof(words));
	}
}

/* Write a complete file. */
static void write_file(int count)
{
	struct perf_writer_feature features[2] = { { .bit = PERF_FILE_HOSTNAME },
		                                   { .bit = PERF_FILE_VERSION } };
	struct perf_writer_end end = { .features = features, .feature_count = 2 };
	struct perf_writer writer;

	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), 0);
	assert_int_equal(perf_writer_begin(&writer, events, 2, &error), 0);
	write_records(&writer, count);
	blob_perf_string(&features[0].blob, "host \033[1m");
	blob_perf_string(&features[1].blob, "bareperf 0");
	blob_add(&end.ledger, LEDGER, sizeof(LEDGER));
	assert_int_equal(perf_writer_finish(&writer, &end, &error), 0);
	blob_free(&features[0].blob);
	blob_free(&features[1].blob);
	blob_free(&end.ledger);
}

static void load_file(void)
{
	struct stat stat_of = { 0 };
	int fd = open(path, O_RDONLY);

	free(bytes);
	assert_true(fd >= 0 && !fstat(fd, &stat_of));
	size = (size_t)stat_of.st_size;
	bytes = malloc(size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, size), size);
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	temporary_path(path, "perf-data");
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	write_file(RECORDS);
	load_file();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(bytes);
	bytes = NULL;
	unlink(path);
	unlink(old_path);
	return 0;
}

/* Read all records. Returns their number, or the reader's error. */
static int count_records(const uint8_t *from, size_t length)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;
	int code = perf_reader_open_bytes(&reader, from, length, &error);
	int count = 0;

	if (code)
		return code;
	while ((code = perf_reader_next(&reader, &offset, &record, &error)) > 0)
		count++;
	perf_reader_close(&reader);
	return code ? code : count;
}

static void written_records_are_read_back(void **state)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;
	int count = 0;

	(void)state;
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	assert_int_equal(reader.event_count, 2);
	assert_string_equal(reader.events[0].name, "cycles");
	while (perf_reader_next(&reader, &offset, &record, &error) > 0) {
		const uint64_t *words = (const uint64_t *)(const void *)record.header;

		assert_int_equal(words[2], 0x1000 + count);
		assert_ptr_equal(perf_reader_event_of(&reader, record.header),
		                 &reader.events[count % 3 == 2]);
		count++;
	}
	assert_int_equal(count, RECORDS);
	perf_reader_close(&reader);
}

/* EVENT_DESC: nr, attr_size, {attr, nr_ids, name, ids}; the second is its end. */
static void events_have_the_names_that_the_file_gives_them(void **state)
{
	struct perf_writer_feature feature = { .bit = PERF_FILE_EVENT_DESC };
	const struct perf_writer_end end = { .features = &feature, .feature_count = 1 };
	struct perf_writer writer;
	struct perf_reader reader;

	(void)state;
	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), 0);
	assert_int_equal(perf_writer_begin(&writer, events, 2, &error), 0);
	blob_u32(&feature.blob, 2);
	blob_u32(&feature.blob, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < 2; i++) {
		blob_add(&feature.blob, &events[i].attr, sizeof(events[i].attr));
		blob_u32(&feature.blob, events[i].id_count);
		blob_perf_string(&feature.blob, i ? "the second, 100%" : "");
		blob_add(&feature.blob, events[i].ids, events[i].id_count * sizeof(*ids));
	}
	assert_int_equal(perf_writer_finish(&writer, &end, &error), 0);
	blob_free(&feature.blob);
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	assert_string_equal(reader.events[0].name, "cycles"); /* the file has no name */
	assert_string_equal(reader.events[1].name, "the second, 100%");
	perf_reader_close(&reader);
}

static void features_are_found_by_their_bits(void **state)
{
	struct perf_reader reader;
	char text[64];
	size_t length;

	(void)state;
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	perf_reader_string(&reader, PERF_FILE_HOSTNAME, text, sizeof(text));
	assert_string_equal(text, "host ");
	assert_null(perf_reader_feature(&reader, PERF_FILE_CPUID, &length));
	perf_reader_close(&reader);
}

/* The result of perf_reader_ledger() for these bytes; it must not read beyond them. */
static int ledger_of(const uint8_t *from, size_t length)
{
	const uint8_t *ledger = NULL;
	struct perf_reader reader;
	size_t ledger_size = 0;
	int code = perf_reader_open_bytes(&reader, from, length, &error);

	if (code)
		return code;
	code = perf_reader_ledger(&reader, &ledger, &ledger_size, &error);
	if (code == PERF_LEDGER_WHOLE) {
		assert_int_equal(ledger_size, sizeof(LEDGER));
		assert_memory_equal(ledger, LEDGER, sizeof(LEDGER));
	}
	perf_reader_close(&reader);
	return code;
}

static void the_ledger_is_behind_all_that_perf_knows(void **state)
{
	const struct perf_file_header *header = (const void *)bytes;
	struct perf_file_section last;

	(void)state;
	assert_int_equal(ledger_of(bytes, size), PERF_LEDGER_WHOLE);
	memcpy(&last, bytes + header->data.offset + header->data.size + sizeof(last), sizeof(last));
	assert_int_equal(last.offset + last.size + sizeof(LEDGER), header->event_types.offset);
	assert_int_equal(header->event_types.size, 64);
	assert_int_equal(header->event_types.offset + 64, size);
}

static void a_ledger_that_another_tool_left_out_is_known_from_none(void **state)
{
	struct perf_file_header *header = (void *)bytes;

	(void)state;
	memset(&header->event_types, 0, sizeof(header->event_types));
	assert_int_equal(ledger_of(bytes, size), PERF_LEDGER_REWRITTEN);
	/* without VERSION: another recorder's file, or an unfinished one */
	memset(header->features, 0, sizeof(header->features));
	assert_int_equal(ledger_of(bytes, size), PERF_LEDGER_NONE);
	/* the table of event types that Linux 2.6's perf wrote */
	header->event_types.size = 72;
	assert_int_equal(ledger_of(bytes, size), PERF_LEDGER_NONE);
}

static void a_ledger_that_is_cut_off_is_an_error_with_the_offset(void **state)
{
	const struct perf_file_header *header = (const void *)bytes;
	char at[128];

	(void)state;
	for (size_t length = header->data.offset; length < size; length++) {
		uint8_t *copy = malloc(length);

		assert_non_null(copy);
		memcpy(copy, bytes, length);
		assert_int_equal(ledger_of(copy, length), -EPROTO);
		snprintf(at, sizeof(at),
		         "cut off at offset 0x%zx; its end with the ledger was at 0x%zx", length,
		         size);
		assert_non_null(strstr(error.text, at));
		free(copy);
	}
}

static void no_bit_of_ledger_or_footer_may_change(void **state)
{
	const struct perf_file_header *header = (const void *)bytes;
	uint64_t at = header->event_types.offset;

	(void)state;
	for (size_t i = at - sizeof(LEDGER); i < size; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] ^= (uint8_t)(1U << bit);
			assert_int_equal(ledger_of(bytes, size), -EPROTO);
			bytes[i] ^= (uint8_t)(1U << bit);
		}
	}
	bytes[offsetof(struct perf_file_header, event_types) + 8]++;
	assert_int_equal(ledger_of(bytes, size), -EPROTO);
}

static void an_older_file_is_kept(void **state)
{
	(void)state;
	write_file(3);
	load_file();
	assert_int_equal(count_records(bytes, size), 3);
	assert_int_equal(rename(old_path, path), 0);
	load_file();
	assert_int_equal(count_records(bytes, size), RECORDS);
}

static void an_unfinished_file_has_the_flushed_records(void **state)
{
	struct perf_writer writer;

	(void)state;
	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), 0);
	assert_int_equal(perf_writer_begin(&writer, events, 2, &error), 0);
	write_records(&writer, 10);
	perf_writer_flush(&writer);
	write_records(&writer, 10);
	load_file();
	assert_int_equal(count_records(bytes, size), 10);
	perf_writer_abandon(&writer);
}

static void pieces_follow_the_records_added_before_them(void **state)
{
	struct perf_event_header header = { PERF_RECORD_SAMPLE, 2, SIZE };
	uint64_t words[] = { ids[0], 0x7777, 1 };
	const struct blob_piece pieces[PERF_WRITER_PIECES] = {
		{ NULL, 0 },
		{ &header, sizeof(header) },
		{ words, sizeof(uint64_t) },
		{ words + 1, 2 * sizeof(uint64_t) },
	};
	struct perf_writer writer;
	uint64_t size_before;

	(void)state;
	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), 0);
	assert_int_equal(perf_writer_begin(&writer, events, 2, &error), 0);
	write_records(&writer, 10);
	size_before = perf_writer_size(&writer);
	perf_writer_add_pieces(&writer, pieces, PERF_WRITER_PIECES);
	assert_int_equal(perf_writer_size(&writer), size_before + SIZE);
	load_file(); /* it is complete without a flush */
	assert_int_equal(count_records(bytes, size), 11);
	assert_memory_equal(bytes + size_before, &header, sizeof(header));
	assert_memory_equal(bytes + size_before + sizeof(header), words, sizeof(words));
	perf_writer_abandon(&writer);
}

static void a_file_that_was_not_begun_is_removed_and_the_older_one_put_back(void **state)
{
	struct perf_writer writer;

	(void)state;
	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), 0);
	assert_int_equal(access(old_path, F_OK), 0);
	perf_writer_abandon(&writer);
	assert_int_not_equal(access(old_path, F_OK), 0);
	load_file();
	assert_int_equal(count_records(bytes, size), RECORDS);
	unlink(path);
	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), 0);
	perf_writer_abandon(&writer);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void a_failed_write_is_an_error_and_removes_only_regular_files(void **state)
{
	struct perf_writer writer;
	char place[PATH_MAX + 8];

	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0); /* a pipe has no offsets */
	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), -ESPIPE);
	snprintf(place, sizeof(place), "writing %s", path);
	assert_non_null(strstr(error.text, place));
	assert_int_equal(access(path, F_OK), 0);
}

static void a_file_cut_anywhere_gives_whole_records_and_an_error(void **state)
{
	struct perf_file_header header;
	size_t data;

	(void)state;
	memcpy(&header, bytes, sizeof(header));
	data = header.data.offset;
	for (size_t length = 0; length < size; length++) {
		/* A copy of exactly this length, so that a read beyond it is detected. */
		uint8_t *copy = malloc(length + !length);
		int seen;

		assert_non_null(copy);
		memcpy(copy, bytes, length);
		seen = count_records(copy, length);
		if (length < data)
			assert_int_equal(seen, -EPROTO);
		else if (length < data + header.data.size && (length - data) % SIZE)
			assert_int_equal(seen, -EPROTO);
		else if (length < data + header.data.size)
			assert_int_equal(seen, (length - data) / SIZE);
		else
			assert_int_equal(seen, RECORDS);
		free(copy);
	}
}

static void every_byte_may_be_wrong_without_harm(void **state)
{
	const struct perf_file_header *header = (const void *)bytes;
	uint64_t data = header->data.offset, end = data + header->data.size;

	(void)state;
	for (size_t i = 0; i < size; i++) {
		uint8_t good = bytes[i];
		bool is_content = i >= data && i < end && (i - data) % SIZE >= 8;

		for (unsigned bit = 0; bit < 8; bit++) {
			int seen;

			bytes[i] = good ^ (uint8_t)(1U << bit);
			seen = count_records(bytes, size);
			assert_true(seen <= 2 * RECORDS);
			if (is_content || i >= end)
				assert_int_equal(seen, RECORDS);
		}
		bytes[i] = good;
	}
}

static void an_error_in_the_file_is_reported_with_its_offset(void **state)
{
	struct perf_file_header *header = (struct perf_file_header *)(void *)bytes;
	struct perf_event_header *record =
	    (struct perf_event_header *)(void *)(bytes + header->data.offset + 5 * (size_t)SIZE);
	char at[64];

	(void)state;
	snprintf(at, sizeof(at), "offset 0x%llx",
	         (unsigned long long)header->data.offset + 5ULL * SIZE);
	record->size = 4;
	assert_int_equal(count_records(bytes, size), -EPROTO);
	assert_non_null(strstr(error.text, at));
	record->size = SIZE;
	header->attrs.offset = size;
	assert_int_equal(count_records(bytes, size), -EPROTO);
	assert_non_null(strstr(error.text, "the attributes"));
	header->magic = 0;
	assert_int_equal(count_records(bytes, size), -EPROTO);
	assert_non_null(strstr(error.text, "PERFILE2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(written_records_are_read_back),
		TEST(events_have_the_names_that_the_file_gives_them),
		TEST(features_are_found_by_their_bits),
		TEST(the_ledger_is_behind_all_that_perf_knows),
		TEST(a_ledger_that_another_tool_left_out_is_known_from_none),
		TEST(a_ledger_that_is_cut_off_is_an_error_with_the_offset),
		TEST(no_bit_of_ledger_or_footer_may_change),
		TEST(an_older_file_is_kept),
		TEST(an_unfinished_file_has_the_flushed_records),
		TEST(pieces_follow_the_records_added_before_them),
		TEST(a_file_that_was_not_begun_is_removed_and_the_older_one_put_back),
		TEST(a_failed_write_is_an_error_and_removes_only_regular_files),
		TEST(a_file_cut_anywhere_gives_whole_records_and_an_error),
		TEST(every_byte_may_be_wrong_without_harm),
		TEST(an_error_in_the_file_is_reported_with_its_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
