/* SPDX-License-Identifier: MIT */
/* A program's output: bytes in a ring whose tail the host stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ringbuf/stream.h"

#define SIZE 64U

static struct tr_stream shared;
static struct stream stream;
static uint8_t *bytes; /* exactly that size, so that ASan detects writes beyond it */

static int set_up(void **state)
{
	(void)state;
	bytes = aligned_alloc(8, SIZE);
	memset(&shared, 0, sizeof(shared));
	stream_init(&stream, &shared, bytes, 4096, SIZE);
	return bytes ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	free(bytes);
	return 0;
}

static void an_empty_one_says_where_it_lies(void **state)
{
	(void)state;
	assert_int_equal(shared.offset, 4096);
	assert_int_equal(shared.size, SIZE);
	assert_int_equal(shared.head | shared.first | shared.lost, 0);
	assert_int_equal(stream_room(&stream), SIZE);
}

/* Texts of every length, at every alignment in memory and many positions of the stream. */
static void bytes_arrive_as_they_are(void **state)
{
	uint8_t text[SIZE + 16], next = 0;

	(void)state;
	for (unsigned size = 1; size <= SIZE; size++) {
		for (unsigned skew = 0; skew < 9; skew++) {
			for (unsigned i = 0; i < size; i++)
				text[skew + i] = next++;
			assert_int_equal(stream_put(&stream, text + skew, size), size);
			for (unsigned i = 0; i < size; i++)
				assert_int_equal(bytes[(shared.tail + i) % SIZE], text[skew + i]);
			shared.tail = shared.head;
		}
	}
	assert_int_equal(shared.lost | shared.first, 0);
}

static void unread_bytes_are_not_overwritten(void **state)
{
	char text[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,;:!?";

	(void)state;
	assert_int_equal(stream_put(&stream, text, 60), 60);
	assert_int_equal(stream_put(&stream, text + 60, 8), 4);
	assert_int_equal(stream_put(&stream, text, 1), 0);
	assert_memory_equal(bytes, text, SIZE);
	shared.tail = 3;
	assert_int_equal(stream_put(&stream, "xyzw", 4), 3);
	assert_memory_equal(bytes, "xyz3456", 7);
	stream_lose(&stream, 1);
	assert_int_equal(shared.lost, 1);
	assert_int_equal(shared.head, 67);
}

static void a_tail_that_cannot_be_is_passed_over(void **state)
{
	static const uint64_t wrong[] = { 41, 9, UINT64_MAX, 1ULL << 63 };

	(void)state;
	stream_put(&stream, bytes, 40);
	shared.tail = 10;
	assert_int_equal(stream_room(&stream), 34);
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		shared.tail = wrong[i];
		assert_int_equal(stream_room(&stream), 34);
	}
	shared.tail = 40;
	assert_int_equal(stream_room(&stream), SIZE);
}

static void without_a_reader_the_oldest_bytes_are_dropped_and_counted(void **state)
{
	(void)state;
	stream_put(&stream, bytes, 60);
	stream_make_room(&stream, 4);
	assert_int_equal(shared.first | shared.lost, 0);
	shared.tail = 3;
	stream_make_room(&stream, 7); /* exactly */
	assert_int_equal(shared.first | shared.lost, 0);
	shared.tail = 0;
	stream_make_room(&stream, 10);
	assert_int_equal(shared.first, 6);
	assert_int_equal(shared.lost, 3);
	assert_int_equal(stream_put(&stream, "0123456789", 10), 10);
	assert_int_equal(shared.head, 70);
	stream_make_room(&stream, SIZE);
	assert_int_equal(shared.first, 70);
	assert_int_equal(shared.lost, 67);
}

static void a_run_begins_empty_whatever_the_last_one_left(void **state)
{
	(void)state;
	stream_put(&stream, bytes, 60);
	stream_make_room(&stream, 10);
	stream_begin(&stream);
	assert_int_equal(shared.first, 60);
	assert_int_equal(shared.lost, 0);
	assert_int_equal(stream_room(&stream), SIZE);
	stream_lose(&stream, 2);
	assert_int_equal(shared.lost, 2);
	shared.tail = 6; /* a late store of the last reader */
	assert_int_equal(stream_room(&stream), SIZE);
}

/* All state is kept in private memory; the region's copy is for readers. */
static void the_region_is_not_believed(void **state)
{
	(void)state;
	memset(&shared, 0xff, sizeof(shared));
	assert_int_equal(stream_put(&stream, "abc", 3), 3);
	assert_memory_equal(bytes, "abc", 3);
	assert_int_equal(shared.head, 3);
	memset(&shared, 0xff, sizeof(shared));
	stream_make_room(&stream, SIZE);
	assert_int_equal(shared.first, 3);
	assert_int_equal(shared.lost, 3);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_empty_one_says_where_it_lies),
		TEST(bytes_arrive_as_they_are),
		TEST(unread_bytes_are_not_overwritten),
		TEST(a_tail_that_cannot_be_is_passed_over),
		TEST(without_a_reader_the_oldest_bytes_are_dropped_and_counted),
		TEST(a_run_begins_empty_whatever_the_last_one_left),
		TEST(the_region_is_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
