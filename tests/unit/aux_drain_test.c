/* SPDX-License-Identifier: MIT */
/* Pieces of AUX areas on their way into perf.data, from a session's drain to the file's bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/check.h"
#include "host-tools/perf_reader.h"
#include "host-tools/session.h"
#include "pmu/arm_spe.h"
#include "pmu/branch_step.h"
#include "pmu/intel_bts.h"
#include "tests/unit/region_fixture.h"

#define MOST 16U
#define TIME 5ULL /* of every record that the fixture writes, ns */
#define CONTROL                                                          \
	((struct perf_event_mmap_page *)trace_region_at(&fixture.region, \
	                                                fixture.region.rings[0].control))
#define FIRST_ID 100U

struct aux_record {
	struct perf_event_header header;
	uint64_t offset, size, flags;
	uint64_t trailer[4]; /* TID, TIME, CPU, ID */
};

/* What the file has of AUX areas, in its order. */
static struct {
	size_t count;
	struct {
		struct perf_file_auxtrace trace;
		struct aux_record told; /* the record before it */
		uint64_t at;            /* in the file */
		uint8_t bytes[FIXTURE_AUX + 64];
	} pieces[MOST];
	size_t aux_records;
	uint64_t info[64]; /* of AUXTRACE_INFO, its header first */
	uint64_t clock[7];
} file;

static struct fixture fixture;
static struct channel channel;
static struct region region;
static struct session session;
static struct error error;
static char path[64];
static struct tr_clock used_clock; /* of the machine */
static uint8_t pattern[2 * FIXTURE_AUX];

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/bareperf-aux-drain-%d", (int)getpid());
	unlink(path);
	used_clock = (struct tr_clock){
		.frequency = 2000000000, .time_zero = 1, .time_mult = 1 << 9, .time_shift = 10
	};
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)(i * 7 + i / 256 + 1);
	return 0;
}

static void begin(uint32_t type, bool overwrite)
{
	static const char *const command[] = { "test" };
	const struct session_options options = { .output = path,
		                                 .command = command,
		                                 .command_words = 1 };
	fixture_init_aux(&fixture, type, overwrite);
	trace_region_set_clock(&fixture.region, &used_clock);
	assert_int_equal(channel_open_shared(&channel, fixture.fd, FIXTURE_SIZE, &error), 0);
	assert_int_equal(region_open(&region, channel.bytes, channel.size, true, &error), 0);
	assert_int_equal(session_begin(&session, &channel, &region, &options, &error), 0);
}

static int teardown(void **state)
{
	(void)state;
	session_end(&session);
	region_close(&region);
	channel.ops->close(&channel);
	fixture_free(&fixture);
	unlink(path);
	return 0;
}

static void note(const struct perf_reader_record *record)
{
	uint32_t type = record->header->type;
	static struct aux_record last;

	if (type == PERF_RECORD_AUX) {
		assert_in_range(record->header->size, 24, sizeof(last));
		memcpy(&last, record->header, record->header->size);
		file.aux_records++;
	} else if (type == PERF_FILE_RECORD_AUXTRACE) {
		assert_in_range(file.count, 0, MOST - 1);
		assert_in_range(record->payload_size, 1, sizeof(file.pieces[0].bytes));
		memcpy(&file.pieces[file.count].trace, record->header, 48);
		memcpy(file.pieces[file.count].bytes, record->payload, record->payload_size);
		file.pieces[file.count].told = last;
		file.pieces[file.count++].at = record->offset;
	} else if (type == PERF_FILE_RECORD_AUXTRACE_INFO) {
		assert_in_range(record->header->size, 16, sizeof(file.info));
		memcpy(file.info, record->header, record->header->size);
	} else if (type == PERF_FILE_RECORD_TIME_CONV) {
		assert_int_equal(file.info[0], 0); /* before the info */
		memcpy(file.clock, record->header, record->header->size);
	}
}

/* The feature that tells perf where the pieces are. */
static void check_index(const struct perf_reader *reader)
{
	uint64_t index[1 + 2 * MOST];
	size_t size;
	const uint8_t *bytes = perf_reader_feature(reader, PERF_FILE_AUXTRACE, &size);

	if (!file.count) {
		assert_true(!bytes || !size);
		return;
	}
	assert_non_null(bytes);
	assert_int_equal(size, 8 + 16 * file.count);
	memcpy(index, bytes, size);
	assert_int_equal(index[0], file.count);
	for (size_t i = 0; i < file.count; i++) {
		assert_int_equal(index[1 + 2 * i], file.pieces[i].at);
		assert_int_equal(index[2 + 2 * i], 48);
	}
}

static void read_file(void)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0;

	memset(&file, 0, sizeof(file));
	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	while (perf_reader_next(&reader, &offset, &record, &error) > 0)
		note(&record);
	assert_false(reader.cut);
	check_index(&reader);
	perf_reader_close(&reader);
}

static void drain(void)
{
	uint64_t got;

	assert_int_equal(session_drain(&session, &got, &error), 0);
}

/* The run ends, all is conserved, and the file is read. */
static void finish(void)
{
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	read_file();
}

static void put(unsigned ring, uint64_t from, uint64_t size, uint64_t flags)
{
	assert_true(fixture_piece(&fixture, ring, pattern + from, size, flags));
}

/* Piece i of the file is this one of ring's: behind its AUX record, then zeros up to `whole`. */
static void expect(size_t i, unsigned ring, uint64_t position, const void *bytes, uint64_t size,
                   uint64_t whole)
{
	const struct perf_file_auxtrace *trace = &file.pieces[i].trace;
	static const uint8_t zeros[64];

	assert_in_range(i, 0, file.count - 1);
	assert_int_equal(trace->header.size, 48);
	assert_int_equal(trace->size, whole);
	assert_int_equal(trace->offset, position);
	assert_int_equal(trace->idx, ring);
	assert_int_equal(trace->cpu, ring);
	assert_int_equal(trace->tid, 1 + ring);
	/* 1 ns at 0 cycles, and half a ns a cycle */
	assert_int_equal(trace->reference, (TIME - 1) * 2);
	assert_int_equal(file.pieces[i].told.offset, position);
	assert_int_equal(file.pieces[i].told.size, size);
	assert_int_equal(file.pieces[i].told.trailer[3], 100 * (ring + 1));
	assert_memory_equal(file.pieces[i].bytes, bytes, size);
	assert_memory_equal(file.pieces[i].bytes + size, zeros, whole - size);
}

static void each_piece_stands_behind_its_record_with_an_empty_branch_at_its_end(void **state)
{
	(void)state;
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, 72, 0);
	put(0, 72, 24, 0);
	put(1, 500, 48, 0);
	put(0, 96, 20, 0); /* no number of words */
	finish();
	assert_int_equal(file.count, 4);
	expect(0, 0, 0, pattern, 72, 96);
	expect(1, 0, 72, pattern + 72, 24, 48);
	expect(2, 0, 96, pattern + 96, 20, 48);
	expect(3, 1, 0, pattern + 500, 48, 72);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, 116);
	assert_int_equal(session.ledger.rings[0].found.aux_records, 3);
	assert_int_equal(session.ledger.rings[1].found.aux_delivered, 48);
}

static void what_was_copied_is_given_back_and_the_area_goes_on_at_its_start(void **state)
{
	(void)state;
	begin(PERF_TYPE_BRANCH_STEP, false);
	put(0, 0, FIXTURE_AUX - 24, 0);
	assert_false(fixture_piece(&fixture, 0, pattern, 72, 0)); /* no room */
	assert_int_equal(CONTROL->aux_tail, 0);
	drain();
	assert_int_equal(CONTROL->aux_tail, FIXTURE_AUX - 24);
	put(0, 100, 72, 0); /* 24 bytes at the end, 48 at the start */
	put(0, 172, FIXTURE_AUX - 72, 0);
	drain();
	assert_int_equal(CONTROL->aux_tail, 2 * FIXTURE_AUX - 24);
	finish();
	assert_int_equal(file.count, 3);
	expect(0, 0, 0, pattern, FIXTURE_AUX - 24, FIXTURE_AUX);
	expect(1, 0, FIXTURE_AUX - 24, pattern + 100, 72, 96);
	expect(2, 0, FIXTURE_AUX + 48, pattern + 172, FIXTURE_AUX - 72, FIXTURE_AUX - 48);
	assert_int_equal(session.ledger.rings[0].found.aux_unread, 0);
}

static void a_whole_area_is_one_piece(void **state)
{
	(void)state;
	begin(PMU_TYPE_ARM_SPE, false);
	put(0, 0, 64, 0);
	drain();
	/* of padding packets, which adapting leaves alone */
	memset(pattern, 0, sizeof(pattern));
	pattern[0] = pattern[FIXTURE_AUX - 1] = 1; /* END */
	put(0, 0, FIXTURE_AUX, 0);
	finish();
	assert_int_equal(file.count, 2);
	expect(1, 0, 64, pattern, FIXTURE_AUX, FIXTURE_AUX);
}

static void flags_stay_and_truncated_is_counted(void **state)
{
	(void)state;
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, 24, PERF_AUX_FLAG_TRUNCATED);
	drain();
	put(0, 24, 24, PERF_AUX_FLAG_COLLISION);
	finish();
	assert_int_equal(file.count, 2);
	assert_int_equal(file.pieces[0].told.flags, PERF_AUX_FLAG_TRUNCATED);
	assert_int_equal(file.pieces[1].told.flags, PERF_AUX_FLAG_COLLISION);
	expect(0, 0, 0, pattern, 24, 48);
	expect(1, 0, 24, pattern + 24, 24, 48);
	assert_int_equal(session.ledger.rings[0].found.aux_truncated, 1);
	assert_int_equal(session.ledger.rings[0].found.aux_records, 2);
}

static void an_empty_piece_has_no_bytes_and_gives_back_the_padding_before_it(void **state)
{
	(void)state;
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, 24, 0);
	fixture_pad(&fixture, 0, 1000);
	drain();
	assert_int_equal(CONTROL->aux_tail, 1024);
	put(0, 24, 24, 0);
	finish();
	assert_int_equal(file.aux_records, 3);
	assert_int_equal(file.count, 2);
	expect(0, 0, 0, pattern, 24, 48);
	expect(1, 0, 1024, pattern + 24, 24, 48);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, 48);
}

/* A PC of EL1, Non-secure; an END; and a record that was cut off. */
static const uint8_t packets[32] = { 0xb0, 1, 2, 3, 4, 5, 6, 7, 0xa0, 0x01,
	                             0xb0, 9, 8, 7, 6, 5, 4, 3, 0xa0, 0x00 };

static void spe_pieces_become_what_perf_can_read(void **state)
{
	uint8_t cleared[32], cut[32] = { 0 };

	(void)state;
	memcpy(cleared, packets, sizeof(cleared));
	cleared[8] = cleared[18] = 0x20; /* NS is bit 63 */
	memcpy(cut, cleared, 10);
	begin(PMU_TYPE_ARM_SPE, false);
	assert_true(fixture_piece(&fixture, 0, packets, 32, 0));
	assert_true(fixture_piece(&fixture, 0, packets, 32, PERF_AUX_FLAG_PARTIAL));
	finish();
	assert_int_equal(file.count, 2);
	expect(0, 0, 0, cleared, 32, 32);
	expect(1, 0, 32, cut, 32, 32);
	/* The copy was changed, not the area. */
	assert_memory_equal(trace_region_at(&fixture.region, fixture.region.rings[0].aux_offset),
	                    packets, 32);
}

/* Laps of the area by a trace that overwrites: only the newest piece is told, and it wraps. */
static void a_snapshot_is_the_newest_and_the_rest_is_overwritten(void **state)
{
	uint8_t *area, newest[FIXTURE_AUX / 2 + 24];
	struct ring_aux_output out;

	(void)state;
	begin(PERF_TYPE_INTEL_BTS, true);
	area = trace_region_at(&fixture.region, fixture.region.rings[0].aux_offset);
	memcpy(area, pattern, FIXTURE_AUX);
	assert_int_equal(ring_aux_begin(&out, &fixture.aux[0], 1), 0);
	for (unsigned i = 0; i < 4; i++)
		ring_aux_pass(&out, FIXTURE_AUX / 2);
	ring_aux_end(&out, 24);
	finish();
	assert_int_equal(file.count, 1);
	memcpy(newest, pattern + FIXTURE_AUX / 2, FIXTURE_AUX / 2);
	memcpy(newest + FIXTURE_AUX / 2, pattern, 24);
	expect(0, 0, 3 * FIXTURE_AUX / 2, newest, sizeof(newest), sizeof(newest) + 24);
	assert_int_equal(file.pieces[0].told.flags, PERF_AUX_FLAG_OVERWRITE);
	assert_int_equal(CONTROL->aux_tail, 2 * FIXTURE_AUX + 24);
}

static void what_no_record_tells_when_a_machine_is_cut_off_is_unread(void **state)
{
	(void)state;
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, 72, 0);
	drain();
	CONTROL->aux_head = 100; /* hardware went on, and nobody came to tell it */
	assert_int_equal(session_finish(&session, true, &error), 0);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, 72);
	assert_int_equal(session.ledger.rings[0].found.aux_unread, 28);
}

static struct aux_record *first_record(void)
{
	return trace_region_at(&fixture.region, fixture.region.rings[0].data_offset);
}

/* Behind a piece of `before` bytes a record tells of some that cannot be: it is refused, nothing of
 * it is copied, nothing given back, and the other ring goes on. */
static void refuses(uint64_t before, uint64_t offset, uint64_t size)
{
	char where[64];

	setup(NULL);
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, before, 0);
	drain();
	put(0, 0, 72, 0);
	put(1, 0, 48, 0);
	first_record()[1].offset = offset;
	first_record()[1].size = size;
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), -EPROTO);
	snprintf(where, sizeof(where), "0x%llx bytes at position 0x%llx", (unsigned long long)size,
	         (unsigned long long)offset);
	if (!strstr(error.text, "ring 0") || !strstr(error.text, where))
		fail_msg("%s", error.text);
	assert_int_equal(session.ledger.rings[0].found.aux_unread, 72);
	read_file();
	assert_int_equal(file.count, 2);
	expect(0, 0, 0, pattern, before, before + 24);
	expect(1, 1, 0, pattern, 48, 72);
	assert_int_equal(CONTROL->aux_tail, before);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, before);
	teardown(NULL);
}

static void ranges_that_cannot_be_are_refused(void **state)
{
	(void)state;
	refuses(FIXTURE_AUX, FIXTURE_AUX, 73);                           /* beyond the head */
	refuses(FIXTURE_AUX, FIXTURE_AUX + 80, 0);                       /* behind it */
	refuses(FIXTURE_AUX, 0, FIXTURE_AUX + 72);                       /* more than the area */
	refuses(FIXTURE_AUX, 64, 8);                                     /* written over since */
	refuses(24, UINT64_MAX - 7, 16);                                 /* comes round */
	refuses(FIXTURE_AUX, FIXTURE_AUX, UINT64_MAX - FIXTURE_AUX + 1); /* to 0 */
	refuses(24, 8, UINT64_MAX);
}

static void the_oldest_bytes_that_are_there_can_be_read(void **state)
{
	(void)state;
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, FIXTURE_AUX, 0);
	drain();
	put(0, 0, 72, 0);
	first_record()[1].offset = 72; /* head - area */
	first_record()[1].size = FIXTURE_AUX;
	drain();
	assert_int_equal(session.trouble, 0);
	session_finish(&session, true, &error);
	read_file();
	assert_int_equal(file.count, 2);
	assert_int_equal(file.pieces[1].trace.size, FIXTURE_AUX + 24);
}

/* Of a ring that has no area. */
static void a_record_of_an_area_that_is_not_there_is_refused(void **state)
{
	(void)state;
	begin(PERF_TYPE_INTEL_BTS, false);
	session.region.rings[0].aux_size = 0;
	put(0, 0, 72, 0);
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), -EPROTO);
	read_file();
	assert_int_equal(file.count, 0);
}

/* Too short for a range: two records where one was. */
static void a_record_without_a_range_is_passed_over(void **state)
{
	uint64_t *words;

	(void)state;
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, 72, 0);
	words = (uint64_t *)(void *)first_record();
	words[0] = PERF_RECORD_AUX | 24ULL << 48;
	words[2] = FIRST_ID;
	words[3] = PERF_RECORD_AUX | 40ULL << 48;
	words[4] = 0;
	words[5] = 24;
	drain();
	assert_int_equal(session.trouble, 0);
	assert_int_equal(CONTROL->aux_tail, 24);
	session_finish(&session, true, &error);
	read_file();
	assert_int_equal(file.aux_records, 2);
	assert_int_equal(file.count, 1);
	assert_int_equal(file.pieces[0].trace.size, 48);
}

static void perf_is_told_the_format_and_the_clock_of_a_branch_trace(void **state)
{
	const uint64_t expected[8] = {
		PERF_FILE_RECORD_AUXTRACE_INFO | 64ULL << 48,
		PERF_FILE_AUXTRACE_INTEL_BTS,
		PERF_TYPE_BRANCH_STEP,
		10,     /* time_shift */
		1 << 9, /* time_mult */
		1,      /* time_zero */
		1,      /* cap_user_time_zero */
		0,      /* snapshot */
	};

	(void)state;
	begin(PERF_TYPE_BRANCH_STEP, false);
	finish();
	assert_memory_equal(file.info, expected, sizeof(expected));
	assert_int_equal(file.clock[0], 0);
}

static void perf_is_told_the_clock_of_spe_in_a_record_of_its_own(void **state)
{
	const uint64_t clock[7] = {
		PERF_FILE_RECORD_TIME_CONV | 56ULL << 48, 10, 1 << 9, 1, 0, UINT64_MAX, 1
	};

	(void)state;
	begin(PMU_TYPE_ARM_SPE, false);
	finish();
	assert_memory_equal(file.clock, clock, sizeof(clock));
	assert_int_equal((uint32_t)file.info[0], PERF_FILE_RECORD_AUXTRACE_INFO);
	assert_int_equal(file.info[1], PERF_FILE_AUXTRACE_ARM_SPE);
	assert_int_equal(file.info[2], PMU_TYPE_ARM_SPE);
}

/* perf would divide by a multiplier of 0; and of bytes that nobody knows it is told nothing. */
static void nothing_is_told_of_what_perf_could_not_decode(void **state)
{
	(void)state;
	begin(PERF_TYPE_SOFTWARE, false);
	put(0, 0, 24, 0);
	finish();
	assert_int_equal(file.info[0], 0);
	assert_int_equal(file.count, 1);
	assert_int_equal(file.pieces[0].trace.size, 24); /* as they are */
	teardown(NULL);
	setup(NULL);
	used_clock.time_mult = 0;
	begin(PERF_TYPE_INTEL_BTS, false);
	put(0, 0, 24, 0);
	finish();
	assert_int_equal(file.info[0], 0);
	assert_int_equal(file.count, 1);
	assert_int_equal(file.pieces[0].trace.reference, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(each_piece_stands_behind_its_record_with_an_empty_branch_at_its_end),
		TEST(what_was_copied_is_given_back_and_the_area_goes_on_at_its_start),
		TEST(a_whole_area_is_one_piece),
		TEST(flags_stay_and_truncated_is_counted),
		TEST(an_empty_piece_has_no_bytes_and_gives_back_the_padding_before_it),
		TEST(spe_pieces_become_what_perf_can_read),
		TEST(a_snapshot_is_the_newest_and_the_rest_is_overwritten),
		TEST(what_no_record_tells_when_a_machine_is_cut_off_is_unread),
		cmocka_unit_test(ranges_that_cannot_be_are_refused),
		TEST(the_oldest_bytes_that_are_there_can_be_read),
		TEST(a_record_of_an_area_that_is_not_there_is_refused),
		TEST(a_record_without_a_range_is_passed_over),
		TEST(perf_is_told_the_format_and_the_clock_of_a_branch_trace),
		TEST(perf_is_told_the_clock_of_spe_in_a_record_of_its_own),
		TEST(nothing_is_told_of_what_perf_could_not_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
