/* SPDX-License-Identifier: MIT */
/*
 * The AUX handshake between two threads, each with the product's own code: ringbuf/aux.c and the
 * code that fills the area on one side, the reader of a region on the other. Under TSan, which
 * reports a byte that is read before it is there, or overwritten before it was read, as a data
 * race.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "abi/event_types.h"
#include "host-tools/ledger/check.h"
#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/host-tools/region/channel_rig.h"
#include "tests/unit/host-tools/region_fixture.h"
#include "tests/unit/temporary.h"
#include "writer/session/session.h"

#define PIECES  2000U
/* bytes of a piece: three do not fit, so the hardware waits for the reader */
#define LONGEST 6000U

static struct fixture fixture;
static struct region region;
static struct error error;
static char path[PATH_MAX];
static int is_over;

/* Over the fixture itself, or a mirror of it, not over a second mapping: TSan compares addresses.
 * */
static struct channel channel;

/* The byte at position p of the area. */
static uint8_t byte_at(uint64_t p)
{
	return (uint8_t)(p * 7 + p / 256 + 1);
}

static void *produce(void *unused)
{
	static uint8_t bytes[LONGEST];

	for (uint64_t i = 0; i < PIECES; i++) {
		uint64_t size = 8 + 8 * (i * 2654435761U % (LONGEST / 8));

		for (uint64_t at = 0; at < size; at++)
			bytes[at] = byte_at(fixture.aux[0].head + at);
		while (!fixture_piece(&fixture, 0, bytes, size, 0))
			sched_yield();
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	return unused;
}

static int setup(void **state)
{
	(void)state;
	fixture_init_aux(&fixture, PERF_TYPE_INTEL_BTS, false);
	is_over = 0;
	temporary_path(path, "aux-tsan");
	assert_int_equal(channel_open_memory(&channel, fixture.bytes, FIXTURE_SIZE, true, &error),
	                 0);
	if (channel_rig_copies)
		assert_int_equal(copying_channel_wrap(&channel, &channel_rig_copying, &error), 0);
	channel_rig_bring(&channel);
	return region_open(&region, &channel, &error) || region_load(&region, &error);
}

static int teardown(void **state)
{
	(void)state;
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	unlink(path);
	return 0;
}

static void assert_bytes(const uint8_t *bytes, uint64_t size, uint64_t position)
{
	for (uint64_t i = 0; i < size; i++) {
		if (bytes[i] != byte_at(position + i))
			fail_msg("wrong byte at position %llu", (unsigned long long)(position + i));
	}
}

/* As a consumer of Linux's mmap ABI may: up to aux_head, whatever the records report. */
static void a_reader_that_goes_by_aux_head_sees_every_byte_once(void **state)
{
	static uint8_t bytes[FIXTURE_AUX];
	static struct ring_reader reader;
	const struct perf_event_header *record;
	struct region_positions at;
	uint64_t position = 0;
	pthread_t thread;
	bool last;

	(void)state;
	assert_int_equal(region_read_ring(&region, 0, &reader), 0);
	assert_int_equal(pthread_create(&thread, NULL, produce, NULL), 0);
	do {
		last = __atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
		channel_rig_bring(&channel);
		region_positions(&region, 0, &at);
		assert_in_range(at.aux_head - position, 0, FIXTURE_AUX);
		if (at.aux_head != position) {
			region_read_aux(&region, 0, position, at.aux_head - position, bytes);
			assert_bytes(bytes, at.aux_head - position, position);
			position = at.aux_head;
			region_release_aux(&region, 0, position, &error);
		}
		/* Release the records, so that further ones have room. */
		assert_true(ring_reader_refresh(&reader) >= 0);
		while (ring_reader_next(&reader, &record) > 0)
			;
		region_release_data(&region, 0, &reader, &error);
		channel_rig_deliver();
	} while (!last);
	pthread_join(thread, NULL);
	assert_int_equal(position, fixture.aux[0].head);
	assert_int_equal(fixture.aux[0].lost, 0);
	assert_true(position > PIECES * (LONGEST / 3)); /* many laps */
}

static void assert_file(uint64_t end)
{
	struct perf_reader reader;
	struct perf_reader_record record;
	uint64_t offset = 0, position = 0;

	assert_int_equal(perf_reader_open(&reader, path, &error), 0);
	while (perf_reader_next(&reader, &offset, &record, &error) > 0) {
		const struct perf_file_auxtrace *trace = (const void *)record.header;

		if (record.header->type != PERF_FILE_RECORD_AUXTRACE)
			continue;
		/* after each piece an empty branch of 24 bytes */
		assert_int_equal(trace->offset, position);
		assert_bytes(record.trace, trace->size - 24, position);
		position += trace->size - 24;
	}
	perf_reader_close(&reader);
	assert_int_equal(position, end);
}

static void a_session_beside_the_hardware_has_every_byte_in_its_file(void **state)
{
	static const char *const command[] = { "test" };
	const struct session_options options = {
		.host = &session_host, .output = path, .command = command, .command_words = 1
	};
	struct session session;
	pthread_t thread;
	uint64_t got;

	(void)state;
	assert_int_equal(session_begin(&session, &region, &options, &error), 0);
	assert_int_equal(pthread_create(&thread, NULL, produce, NULL), 0);
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		assert_int_equal(session_drain(&session, &got, &error), 0);
		assert_int_equal(session.trouble, 0);
	}
	pthread_join(thread, NULL);
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, fixture.aux[0].head);
	assert_file(fixture.aux[0].head);
	session_end(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_reader_that_goes_by_aux_head_sees_every_byte_once),
		TEST(a_session_beside_the_hardware_has_every_byte_in_its_file),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
