/* SPDX-License-Identifier: MIT */
/*
 * A disk that is full at any point, by a limit of file size: the saved data are complete, and as
 * many as fit; the report describes the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/ledger/missing.h"
#include "host-tools/perfdata/perf_output_file.h"
#include "host-tools/perfdata/perf_reader.h"
#include "tests/unit/writer/session/session_rig.h"
#include "writer/perfdata/perf_footer.h"
#include "writer/perfdata/sample.h"

#define UNLIMITED UINT64_MAX
#define RECORDS   300U
#define TOGETHER  25U /* records that are flushed together */
/* bytes; of ten records one is only a header, and one is a piece of an AUX area */
#define SAMPLE    32U
#define PIECE     48U /* bytes of a piece, without its contents: 8 times its number in the file */
#define LEDGER    "ledger."
#define FEATURE   "feature"

static char old_path[PATH_MAX + 4];
static unsigned written; /* by the machine */

/* Limit files to so many bytes, as a full disk does. */
static void limit(uint64_t bytes)
{
	struct rlimit now;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &now), 0);
	now.rlim_cur = bytes < now.rlim_max ? bytes : now.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

/* Not in /tmp, which may be a tmpfs: unlike disks, tmpfs refuses to reserve room beyond the limit
 * even if the file keeps its size. */
static void path_beside_the_test(void)
{
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(".file"));

	assert_true(length > 0);
	strcpy(path + length, ".file");
}

static int setup(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	path_beside_the_test();
	snprintf(old_path, sizeof(old_path), "%s.old", path);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	limit(UNLIMITED);
	unlink(path);
	unlink(old_path);
	return 0;
}

/* ---- The writer ---- */

static uint32_t record_size(unsigned i)
{
	return i % 10 == 9 ? PIECE + 8 * i : i % 10 == 4 ? 8 : SAMPLE;
}

static void add_record(struct perf_writer *writer, unsigned i)
{
	static const uint8_t bytes[8 * RECORDS];
	struct perf_file_auxtrace piece = { .header = { PERF_FILE_RECORD_AUXTRACE, 0, PIECE },
		                            .size = 8 * i,
		                            .offset = i };
	uint64_t sample[SAMPLE / 8] = { PERF_RECORD_SAMPLE | (uint64_t)record_size(i) << 48, 7, i,
		                        1 };

	if (i % 10 == 9)
		perf_writer_add_pieces(
		    writer, (struct blob_piece[]){ { &piece, PIECE }, { bytes, 8 * i } }, 2);
	else
		perf_writer_add(writer, sample, record_size(i));
	if (i % TOGETHER == TOGETHER - 1)
		perf_writer_flush(writer);
}

/* Write all records into a file with so many bytes of room: returns the result of
 * perf_writer_finish(), or of the call that failed before. */
static int write_all(uint64_t bytes)
{
	static const uint64_t ids[] = { 7 };
	static const struct perf_writer_event event = {
		.attr = { .type = PERF_TYPE_RAW,
		          .size = PERF_ATTR_SIZE_VER7,
		          .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
		                         PERF_SAMPLE_PERIOD },
		.ids = ids,
		.id_count = 1,
	};
	struct perf_writer_feature features[2] = { { .bit = PERF_FILE_HOSTNAME },
		                                   { .bit = PERF_FILE_VERSION } };
	struct perf_writer_end end = { .features = features, .feature_count = 2 };
	struct perf_writer writer;
	int code;

	blob_add(&features[0].blob, FEATURE, sizeof(FEATURE));
	blob_add(&features[1].blob, FEATURE, sizeof(FEATURE));
	blob_add(&end.ledger, LEDGER, sizeof(LEDGER));
	limit(bytes);
	code = perf_writer_open(&writer, &perf_output_file, path, 0, &error);
	if (!code) {
		code = perf_writer_begin(&writer, &event, 1, &error);
		if (code)
			perf_writer_abandon(&writer);
	}
	if (!code) {
		for (unsigned i = 0; i < RECORDS; i++)
			add_record(&writer, i);
		code = perf_writer_finish(&writer, &end, &error);
	}
	limit(UNLIMITED);
	blob_free(&features[0].blob);
	blob_free(&features[1].blob);
	blob_free(&end.ledger);
	return code;
}

/* AUXTRACE's index names a missing piece, and a size beyond its end. */
static void an_index_is_cut_wherever_it_stands(void **state)
{
	static const uint64_t ids[] = { 7 };
	static const struct perf_writer_event event = { .attr = { .size = PERF_ATTR_SIZE_VER7 },
		                                        .ids = ids,
		                                        .id_count = 1 };
	struct perf_writer_feature features[2] = { { .bit = PERF_FILE_HOSTNAME },
		                                   { .bit = PERF_FILE_AUXTRACE } };
	const struct perf_writer_end end = { .features = features, .feature_count = 2 };
	struct perf_file_section sections[2];
	struct perf_writer writer;
	uint64_t count = 0;
	int fd;

	(void)state;
	blob_add(&features[0].blob, FEATURE, sizeof(FEATURE));
	assert_int_equal(perf_writer_open(&writer, &perf_output_file, path, 0, &error), 0);
	assert_int_equal(perf_writer_begin(&writer, &event, 1, &error), 0);
	add_record(&writer, 9);
	blob_u64(&features[1].blob, UINT64_MAX / 2);
	blob_u64(&features[1].blob, writer.header.data.offset);
	blob_u64(&features[1].blob, PIECE);
	blob_u64(&features[1].blob, 1 << 30);
	blob_u64(&features[1].blob, PIECE);
	assert_int_equal(perf_writer_finish(&writer, &end, &error), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pread(fd, sections, sizeof(sections),
	                       (off_t)(writer.header.data.offset + writer.header.data.size)),
	                 sizeof(sections));
	assert_int_equal(pread(fd, &count, sizeof(count), (off_t)sections[1].offset),
	                 sizeof(count));
	assert_int_equal(count, 1);
	close(fd);
	blob_free(&features[0].blob);
	blob_free(&features[1].blob);
}

static uint64_t size_of_file(void)
{
	struct stat stat_of;

	return stat(path, &stat_of) ? 0 : (uint64_t)stat_of.st_size;
}

/* The number of records that fit between two offsets; *end: the end of the last one. */
static unsigned records_up_to(uint64_t from, uint64_t to, uint64_t *end)
{
	unsigned count = 0;

	for (*end = from; count < RECORDS && *end + record_size(count) <= to; count++)
		*end += record_size(count);
	return count;
}

/* The file's content before a failed write: a piece is written together with the buffered bytes,
 * the rest by the flush of TOGETHER. */
static unsigned records_written(uint64_t from, uint64_t to, uint64_t *end)
{
	unsigned count = records_up_to(from, to, end);

	if (count == RECORDS)
		return count;
	while (count && (count - 1) % 10 != 9 && (count - 1) % TOGETHER != TOGETHER - 1)
		*end -= record_size(--count);
	return count;
}

/* The header names no feature that the file lacks. */
static void assert_header_has_no_more(const struct perf_file_header *header)
{
	for (unsigned i = 0; i < sizeof(header->features) / sizeof(header->features[0]); i++)
		assert_int_equal(header->features[i], 0);
	assert_int_equal(header->event_types.offset, 0);
	assert_int_equal(header->event_types.size, 0);
}

/* The file's records are the first `count`, in order, with or without a ledger. */
static void assert_file(unsigned count, bool has_ledger)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	const uint8_t *ledger;
	uint64_t offset = 0;
	size_t size;

	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	for (unsigned i = 0; i < count; i++) {
		const uint64_t *words;

		assert_int_equal(perf_reader_next(&reader, &offset, &record, &error), 1);
		words = (const void *)record.header;
		assert_true(record.header->size == 8 || words[2] == i);
		assert_int_equal(record.header->size + record.trace_size, record_size(i));
	}
	assert_int_equal(perf_reader_next(&reader, &offset, &record, &error), 0);
	assert_false(reader.cut);
	assert_int_equal(perf_reader_ledger(&reader, &ledger, &size, &error),
	                 has_ledger ? PERF_LEDGER_WHOLE : PERF_LEDGER_NONE);
	if (has_ledger)
		assert_memory_equal(ledger, LEDGER, sizeof(LEDGER));
	else
		assert_header_has_no_more(&reader.header);
	perf_reader_close(&reader);
}

/* Sizes at which each word matters. */
static bool is_near(uint64_t bytes, uint64_t data, uint64_t whole)
{
	return bytes < data + 400 || bytes + 400 > whole;
}

/* At each size: as many records as fit, of which as many are given up as the ledger and a page
 * need; without room for the ledger, all of them are given up. */
static void as_much_is_saved_as_there_is_room_for(void **state)
{
	const uint64_t end_size = 2 * (sizeof(struct perf_file_section) + sizeof(FEATURE)) +
	                          sizeof(LEDGER) + sizeof(struct perf_footer);
	uint64_t data, whole;
	struct perf_reader reader;

	(void)state;
	assert_int_equal(write_all(UNLIMITED), 0);
	assert_file(RECORDS, true);
	whole = size_of_file();
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	data = reader.header.data.offset;
	perf_reader_close(&reader);
	for (uint64_t bytes = data; bytes < whole; bytes += is_near(bytes, data, whole) ? 8 : 136) {
		uint64_t end, room = end_size + TR_PAGE;
		unsigned count = records_written(data, bytes, &end);

		unlink(path);
		assert_int_equal(write_all(bytes), -EFBIG);
		assert_non_null(strstr(error.text, path));
		if (end + end_size > bytes) /* only data for which room can be made are saved */
			count = records_up_to(data, end - data > room ? end - room : data, &end);
		assert_file(count, end + end_size <= bytes);
		assert_int_equal(size_of_file(), end + (end + end_size <= bytes ? end_size : 0));
	}
	unlink(path);
	assert_int_equal(write_all(whole), 0);
	assert_file(RECORDS, true);
}

/* No new file is left, and the recording before is unchanged. */
static void without_room_for_a_header_all_is_as_before(void **state)
{
	uint64_t least;

	(void)state;
	assert_int_equal(write_all(UNLIMITED), 0);
	for (least = 0; write_all(least) && size_of_file() > TR_PAGE; least += 8) {
		assert_int_not_equal(access(old_path, F_OK), 0);
		assert_non_null(strstr(error.text, path));
		assert_file(RECORDS, true);
	}
	assert_in_range(least, sizeof(struct perf_file_header), 1024);
	unlink(path);
	unlink(old_path);
	assert_int_equal(write_all(0), -EFBIG);
	assert_int_not_equal(access(path, F_OK), 0);
}

/* ---- A session ---- */

#define AT_ONCE 80U /* samples that fill a ring: 96 bytes each */
#define TIMES   6U
#define SAMPLES (TIMES * AT_ONCE * FIXTURE_RINGS)

/* The number of samples of the ring's first event in the file. */
static uint64_t samples_in_file(uint64_t id, bool *has_ledger)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	const uint8_t *ledger;
	uint64_t offset = 0, count = 0;
	size_t size;

	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	while (perf_reader_next(&reader, &offset, &record, &error) > 0) {
		struct sample sample;

		count +=
		    record.header->type == PERF_RECORD_SAMPLE &&
		    sample_parse(record.header,
		                 &(struct perf_event_attr){ .sample_type = FIXTURE_SAMPLE_TYPE },
		                 &sample) &&
		    sample.id == id;
	}
	*has_ledger = perf_reader_ledger(&reader, &ledger, &size, &error) == PERF_LEDGER_WHOLE;
	perf_reader_close(&reader);
	return count;
}

/* TIMES times AT_ONCE samples in each ring, into a file with so many bytes of room; fewer if it is
 * full, because the rings are no longer read. */
static int record_all(uint64_t bytes)
{
	int code;

	written = 0;
	fixture_init(&fixture, 0);
	session_rig_begin(NULL);
	limit(bytes);
	for (unsigned i = 0; i < TIMES * AT_ONCE && !session.writer.failed; i++) {
		for (unsigned ring = 0; ring < FIXTURE_RINGS; ring++)
			written += fixture_sample(&fixture, ring, 0, 0x1000 + i, 1000, 4);
		if (i % AT_ONCE == AT_ONCE - 1)
			session_rig_drain();
	}
	fixture_complete(&fixture);
	code = session_finish(&session, false, &error);
	limit(UNLIMITED);
	return code;
}

static void the_reported_counts_are_the_files(void **state)
{
	uint64_t whole;
	unsigned with_room = 0, made_room = 0;

	(void)state;
	assert_int_equal(record_all(UNLIMITED), 0);
	whole = size_of_file();
	assert_in_range(whole, SAMPLES * 96, SAMPLES * 96 + 16384);
	session_rig_end();
	for (uint64_t bytes = 8192; bytes < whole; bytes += 1000) {
		uint64_t sums[MISSING_KINDS], all = 0;
		bool has_ledger;

		assert_int_equal(record_all(bytes), -EFBIG);
		assert_non_null(strstr(error.text, path));
		for (unsigned ring = 0; ring < FIXTURE_RINGS; ring++) {
			uint64_t count = samples_in_file(FIXTURE_ID(ring, 0), &has_ledger);

			assert_int_equal(
			    session.ledger.events[ring * FIXTURE_EVENTS].found.delivered, count);
			assert_true(has_ledger || !count);
			all += count;
		}
		assert_int_equal(session.found.samples, all);
		missing_sum(&session.ledger, sums);
		assert_int_equal(sums[MISSING_RECORDS], 0);
		assert_int_equal(sums[MISSING_UNSAVED], written - all);
		with_room += all && all % AT_ONCE == 0; /* every written sample is there */
		made_room += all % AT_ONCE != 0;
		session_rig_end();
	}
	assert_true(with_room && made_room);
}

static uint64_t blocks_of_file(void)
{
	struct stat stat_of;

	return stat(path, &stat_of) ? 0 : (uint64_t)stat_of.st_blocks * 512;
}

static void space_is_reserved_before_and_released_after_writing(void **state)
{
	const struct perf_writer_end end = { 0 };
	struct perf_writer writer;
	int code = perf_writer_open(&writer, &perf_output_file, path, 4 << 20, &error);

	(void)state;
	if (code == -EOPNOTSUPP)
		skip();
	assert_int_equal(code, 0);
	assert_int_equal(size_of_file(), 0); /* it is not a recording */
	assert_true(blocks_of_file() >= 4 << 20);
	assert_int_equal(perf_writer_begin(&writer, NULL, 0, &error), 0);
	assert_int_equal(perf_writer_finish(&writer, &end, &error), 0);
	assert_true(blocks_of_file() < 1 << 20);
}

static void a_failed_reservation_is_reported_and_the_old_file_stays(void **state)
{
	struct perf_writer writer;

	(void)state;
	assert_int_equal(write_all(UNLIMITED), 0);
	assert_true(perf_writer_open(&writer, &perf_output_file, path, (uint64_t)1 << 60, &error) <
	            0);
	assert_non_null(strstr(error.text, "reserving 1152921504606846976 bytes for "));
	assert_true(size_of_file() > 0);
	assert_true(access(old_path, F_OK) != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(as_much_is_saved_as_there_is_room_for),
		TEST(an_index_is_cut_wherever_it_stands),
		TEST(without_room_for_a_header_all_is_as_before),
		TEST(the_reported_counts_are_the_files),
		TEST(space_is_reserved_before_and_released_after_writing),
		TEST(a_failed_reservation_is_reported_and_the_old_file_stays),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
