/* SPDX-License-Identifier: MIT */
/* A session whose records go through a pipe: here into memory, so that the test can read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/session/session_host.h"
#include "tests/unit/writer/session/session_rig.h"
#include "writer/perfdata/sample.h"

#define ROUND 200U /* ms */

static int stream;     /* the descriptor that replaced standard output */
static uint8_t *bytes; /* all bytes so far */
static size_t size;

static int begin_to(const char *output, uint64_t preallocate)
{
	static const char *const command[] = { "bareperf", "run" };
	const struct session_options options = { .host = &session_host,
		                                 .output = output,
		                                 .preallocate = preallocate,
		                                 .command = command,
		                                 .command_words = 2 };
	int standard, code;

	stream = memfd_create("stream", MFD_CLOEXEC);
	fflush(stdout);
	standard = dup(STDOUT_FILENO);
	dup2(stream, STDOUT_FILENO);
	code = session_begin(&session, &region, &options, &error);
	dup2(standard, STDOUT_FILENO);
	close(standard);
	return code;
}

static void begin(uint32_t ring_flags)
{
	fixture_init(&fixture, ring_flags);
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&channel);
	assert_int_equal(region_open(&region, &channel, &error), 0);
}

static int setup(void **state)
{
	(void)state;
	begin(0);
	assert_int_equal(begin_to("-", 0), 0);
	return 0;
}

static int setup_backward(void **state)
{
	(void)state;
	begin(TR_RING_BACKWARD);
	assert_int_equal(begin_to("-", 0), 0);
	return 0;
}

static int setup_unopened(void **state)
{
	(void)state;
	begin(0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_rig_end();
	close(stream);
	free(bytes);
	bytes = NULL;
	return 0;
}

static void look(void)
{
	struct stat about;

	assert_int_equal(fstat(stream, &about), 0);
	size = (size_t)about.st_size;
	free(bytes);
	bytes = malloc(size + 1);
	assert_int_equal(pread(stream, bytes, size, 0), size);
}

/* The record at *at, which then points behind it; NULL at the end. Each record begins where the
 * last one ends. */
static const struct perf_event_header *next(size_t *at)
{
	const struct perf_event_header *record = (const void *)(bytes + *at);

	if (*at == size)
		return NULL;
	assert_true(size - *at >= sizeof(*record));
	assert_true(record->size >= sizeof(*record) && record->size <= size - *at);
	assert_int_equal(record->size % 8, 0);
	*at += record->size;
	return record;
}

static unsigned count_of(uint32_t type)
{
	const struct perf_event_header *record;
	size_t at = sizeof(struct perf_pipe_header);
	unsigned count = 0;

	look();
	while ((record = next(&at)))
		count += record->type == type;
	return count;
}

static void the_parts_around_a_files_records_come_first(void **state)
{
	const struct perf_event_header *record;
	const struct perf_pipe_header *header;
	size_t at = sizeof(*header);
	unsigned attrs = 0, features = 0, names = 0;

	(void)state;
	assert_int_equal(session_save(&session), 0);
	look();
	header = (const void *)bytes;
	assert_int_equal(header->magic, PERF_FILE_MAGIC);
	assert_int_equal(header->size, sizeof(*header));
	while ((record = next(&at)) && record->type == PERF_FILE_RECORD_HEADER_ATTR) {
		const struct perf_file_header_attr *attr = (const void *)record;
		const uint64_t *ids = (const void *)(attr + 1);

		assert_int_equal(attr->attr.size, sizeof(attr->attr));
		assert_int_equal(attr->attr.sample_type, FIXTURE_SAMPLE_TYPE);
		assert_int_equal(record->size, sizeof(*attr) + 8 * FIXTURE_RINGS);
		assert_int_equal(ids[0], FIXTURE_ID(0, attrs));
		assert_int_equal(ids[1], FIXTURE_ID(1, attrs));
		attrs++;
	}
	assert_int_equal(attrs, FIXTURE_EVENTS);
	for (; record && (record->type == PERF_FILE_RECORD_HEADER_FEATURE ||
	                  record->type == PERF_FILE_RECORD_BUILD_ID);
	     record = next(&at)) {
		const struct perf_file_header_feature *feature = (const void *)record;

		features++;
		names += record->type == PERF_FILE_RECORD_HEADER_FEATURE &&
		         feature->feature == PERF_FILE_EVENT_DESC;
		/* not known yet */
		assert_false(record->type == PERF_FILE_RECORD_HEADER_FEATURE &&
		             feature->feature == PERF_FILE_SAMPLE_TIME);
	}
	assert_true(features > 8);
	assert_int_equal(names, 1);
	for (; record; record = next(&at))
		assert_true(record->type < PERF_FILE_RECORD_FIRST);
}

/* As perf sorts: at the end of a round it shows the records up to the end of the round before. */
static void records_after_a_round_are_newer_than_those_before_the_last_round(void **state)
{
	uint64_t newest = 0, shown = 0, samples = 0;
	const struct perf_event_header *record;
	size_t at = sizeof(struct perf_pipe_header);

	(void)state;
	for (uint64_t i = 0; i < 900; i++) {
		assert_true(fixture_sample(&fixture, i * i % 7 & 1, 0, 0x1000 + i, 1000, 0));
		if (i % 31 != 30)
			continue;
		session_rig_drain();
		session_end_round(&session, ROUND + i * 10);
	}
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(count_of(PERF_FILE_RECORD_FINISHED_ROUND) > 20);
	while ((record = next(&at))) {
		struct sample sample;

		if (record->type == PERF_FILE_RECORD_FINISHED_ROUND) {
			shown = newest;
			continue;
		}
		if (record->type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(sample_parse(
		    record, &(struct perf_event_attr){ .sample_type = FIXTURE_SAMPLE_TYPE },
		    &sample));
		assert_true(sample.time >= shown);
		newest = sample.time > newest ? sample.time : newest;
		samples++;
	}
	assert_int_equal(samples, 900);
	assert_int_equal(session.found.samples, 900);
}

static void after_the_last_records_two_rounds_end_and_no_more(void **state)
{
	(void)state;
	session_rig_drain();
	session_end_round(&session, 10 * ROUND); /* every recording begins with these records */
	assert_int_equal(count_of(PERF_FILE_RECORD_FINISHED_ROUND), 1);
	session_end_round(&session, 11 * ROUND - 1);
	assert_int_equal(count_of(PERF_FILE_RECORD_FINISHED_ROUND), 1);
	session_end_round(&session, 11 * ROUND);
	assert_int_equal(count_of(PERF_FILE_RECORD_FINISHED_ROUND), 2);
	session_end_round(&session, 12 * ROUND);
	assert_int_equal(count_of(PERF_FILE_RECORD_FINISHED_ROUND), 2);
	assert_true(fixture_sample(&fixture, 0, 0, 0x1000, 1000, 0));
	session_rig_drain();
	for (unsigned i = 13; i < 20; i++)
		session_end_round(&session, i * ROUND);
	assert_int_equal(count_of(PERF_FILE_RECORD_FINISHED_ROUND), 4);
}

static void no_round_ends_where_a_ring_is_read_at_the_end(void **state)
{
	(void)state;
	assert_true(fixture_sample(&fixture, 0, 0, 0x1000, 1000, 0));
	session_rig_drain();
	session_end_round(&session, 10 * ROUND);
	assert_int_equal(count_of(PERF_FILE_RECORD_FINISHED_ROUND), 0);
}

static void a_drain_that_has_yet_to_read_ends_no_round(void **state)
{
	(void)state;
	session_rig_drain();
	session.has_more = true;
	session_end_round(&session, 10 * ROUND);
	assert_int_equal(count_of(PERF_FILE_RECORD_FINISHED_ROUND), 0);
}

/* A file would have these at its end: ledger, features, header. */
static void nothing_follows_the_records(void **state)
{
	const struct perf_event_header *record, *last = NULL;
	size_t at = sizeof(struct perf_pipe_header);

	(void)state;
	assert_true(fixture_sample(&fixture, 0, 0, 0x1000, 1000, 0));
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	look();
	while ((record = next(&at)))
		last = record;
	assert_true(last && last->type == PERF_RECORD_SAMPLE);
}

static void a_stream_reserves_no_disk(void **state)
{
	(void)state;
	assert_int_equal(begin_to("-", 1 << 20), -EINVAL);
	assert_non_null(strstr(error.text, "--preallocate"));
}

static void a_reader_that_is_gone_is_the_recordings_error(void **state)
{
	int ends[2], standard;
	static const char *const command[] = { "bareperf", "run" };
	const struct session_options options = {
		.host = &session_host, .output = "-", .command = command, .command_words = 2
	};

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	fflush(stdout);
	standard = dup(STDOUT_FILENO);
	dup2(ends[1], STDOUT_FILENO);
	assert_int_equal(session_begin(&session, &region, &options, &error), 0);
	dup2(standard, STDOUT_FILENO);
	close(standard);
	close(ends[0]);
	close(ends[1]);
	assert_true(fixture_sample(&fixture, 0, 0, 0x1000, 1000, 0));
	session_rig_drain();
	assert_int_equal(session_finish(&session, false, &error), -EPIPE);
	assert_non_null(strstr(error.text, "standard output"));
	stream = -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_parts_around_a_files_records_come_first, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(
		    records_after_a_round_are_newer_than_those_before_the_last_round, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(after_the_last_records_two_rounds_end_and_no_more,
		                                setup, teardown),
		cmocka_unit_test_setup_teardown(no_round_ends_where_a_ring_is_read_at_the_end,
		                                setup_backward, teardown),
		cmocka_unit_test_setup_teardown(a_drain_that_has_yet_to_read_ends_no_round, setup,
		                                teardown),
		cmocka_unit_test_setup_teardown(nothing_follows_the_records, setup, teardown),
		cmocka_unit_test_setup_teardown(a_stream_reserves_no_disk, setup_unopened,
		                                teardown),
		cmocka_unit_test_setup_teardown(a_reader_that_is_gone_is_the_recordings_error,
		                                setup_unopened, teardown),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
