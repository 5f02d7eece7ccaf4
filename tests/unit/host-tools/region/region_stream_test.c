/* SPDX-License-Identifier: MIT */
/* A program's output at the reader: by shared memory, and by a mirror of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ringbuf/stream.h"
#include "tests/unit/writer/session/session_rig.h"

#define SIZE 512U
#define MUCH 20000U

static struct stream stream;
static unsigned seed;

static void open_all(bool copies)
{
	fixture_init(&fixture, 0);
	stream_init(&stream, &fixture.region.streams[1], fixture.region.stream_bytes + SIZE,
	            (uint64_t)(fixture.region.stream_bytes + SIZE - fixture.bytes), SIZE);
	channel_rig_copies = copies;
	channel_rig_copying = (struct copying_options){ .piece = 64 };
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&channel);
	assert_int_equal(region_open(&region, &channel, &error), 0);
}

static void close_all(void)
{
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
}

static int shared_memory(void **state)
{
	(void)state;
	seed = 1;
	open_all(false);
	return 0;
}

static int mirrored(void **state)
{
	(void)state;
	seed = 1;
	open_all(true);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close_all();
	return 0;
}

static unsigned chance(unsigned most)
{
	return (unsigned)rand_r(&seed) % (most + 1);
}

/* The expected byte at each position of the stream. */
static uint8_t byte_at(uint64_t place)
{
	return (uint8_t)(place * 7 + place / 256);
}

static void write_some(unsigned most)
{
	uint8_t bytes[SIZE];
	unsigned size = 1 + chance(most - 1);

	for (unsigned i = 0; i < size; i++)
		bytes[i] = byte_at(stream.head + i);
	stream_put(&stream, bytes, size);
}

static void write_on_and_on(void *context)
{
	(void)context;
	write_some(SIZE);
}

static void all_bytes_come_in_their_order_and_none_is_missing(void **state)
{
	uint64_t at = 0, missing = 0;
	uint8_t bytes[SIZE];

	(void)state;
	channel_rig_copying.meanwhile = write_on_and_on;
	while (at < MUCH) {
		uint64_t from = at;
		size_t size;

		write_some(SIZE);
		assert_true(channel_refresh(&channel, &error) >= 0);
		size = region_stream(&region, TR_STREAM_ERROR, &at, bytes, 1 + chance(SIZE - 1),
		                     &missing);
		assert_int_equal(at, from + size);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(bytes[i], byte_at(from + i));
		assert_int_equal(region_release_stream(&region, TR_STREAM_ERROR, at, &error), 0);
	}
	assert_int_equal(missing, 0);
	assert_int_equal(region_stream_lost(&region, TR_STREAM_ERROR), 0);
}

static void dropped_bytes_are_skipped_and_counted(void **state)
{
	uint64_t at = 0, missing = 0;
	uint8_t bytes[SIZE];

	(void)state;
	write_some(1);
	for (unsigned i = 0; i < 50; i++) {
		stream_make_room(&stream, 100);
		write_some(100);
	}
	channel_rig_bring(&channel);
	assert_true(stream.first > 0);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, false), stream.first);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, true), stream.first);
	assert_int_equal(region_stream_lost(&region, TR_STREAM_ERROR), stream.first);
	assert_int_equal(region_stream(&region, TR_STREAM_ERROR, &at, bytes, SIZE, &missing),
	                 stream.head - stream.first);
	assert_int_equal(missing, stream.first);
	assert_int_equal(at, stream.head);
	assert_int_equal(bytes[0], byte_at(stream.first));
	at = stream.first - 5; /* a reader that had read a part */
	missing = 1;
	assert_int_equal(region_stream(&region, TR_STREAM_ERROR, &at, bytes, 3, &missing), 3);
	assert_int_equal(missing, 6);
	assert_int_equal(at, stream.first + 3);
	assert_int_equal(bytes[2], byte_at(stream.first + 2));
	missing = 0;
	assert_int_equal(region_stream(&region, TR_STREAM_ERROR, &at, bytes, 1, &missing), 1);
	assert_int_equal(missing, 0);
}

static void a_new_reader_begins_where_the_last_one_stopped(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 5; i++)
		write_some(40);
	fixture.region.streams[1].tail = 17;
	channel_rig_bring(&channel);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, false), 17);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, true), 0);
	while (stream.head < SIZE + 10) { /* overwritten bytes are gone */
		fixture.region.streams[1].tail = stream.head;
		write_some(100);
	}
	channel_rig_bring(&channel);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, true), stream.head - SIZE);
	stream_begin(&stream); /* another run: none of its bytes are there yet */
	channel_rig_bring(&channel);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, false), stream.head);
	fixture.region.streams[1].tail = stream.head + 1;
	channel_rig_bring(&channel);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, false), stream.head);
}

static void without_streams_nothing_comes(void **state)
{
	uint64_t at = 0, missing = 0;
	char bytes[8];

	(void)state;
	write_some(SIZE);
	fixture_header(&fixture)->streams.count = 0; /* an older firmware has no streams */
	channel_rig_bring(&channel);
	assert_int_equal(region_stream(&region, TR_STREAM_ERROR, &at, bytes, 8, &missing), 0);
	assert_int_equal(region_stream_begin(&region, TR_STREAM_ERROR, false), 0);
	assert_int_equal(region_release_stream(&region, TR_STREAM_ERROR, 9, &error), 0);
	assert_int_equal(region_stream(&region, TR_STREAMS, &at, bytes, 8, &missing), 0);
}

/* With any words of the machine, nothing outside the region is read (ASan). */
static void a_machine_that_lies_gets_no_further(void **state)
{
	struct tr_stream *shared = &fixture.region.streams[1];
	const uint64_t odd[] = {
		0, 1, 8, 511, 4096, FIXTURE_SIZE - 8, FIXTURE_SIZE, 1ULL << 40, UINT64_MAX
	};
	uint8_t bytes[SIZE];

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t at = odd[chance(8)], missing = 0;

		shared->head = odd[chance(8)];
		shared->first = odd[chance(8)];
		shared->offset = odd[chance(8)];
		shared->size = (uint32_t)odd[chance(8)];
		if (i % 20 == 0)
			channel_rig_bring(&channel);
		assert_true(region_stream(&region, TR_STREAM_ERROR, &at, bytes, SIZE, &missing) <=
		            SIZE);
		region_stream_begin(&region, TR_STREAM_ERROR, i & 1);
	}
}

#define BOTH(name)                                                        \
	cmocka_unit_test_setup_teardown(name, shared_memory, teardown),   \
	{                                                                 \
#name " through a mirror", name, mirrored, teardown, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(all_bytes_come_in_their_order_and_none_is_missing),
		BOTH(dropped_bytes_are_skipped_and_counted),
		BOTH(a_new_reader_begins_where_the_last_one_stopped),
		BOTH(without_streams_nothing_comes),
		BOTH(a_machine_that_lies_gets_no_further),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
