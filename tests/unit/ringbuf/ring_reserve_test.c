/* SPDX-License-Identifier: MIT */
/* A ring that reports when it has less room than its reserve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/ringbuf/ring_rig.h"

#define SIZE    4096U
#define RESERVE 512U
#define RECORD  64U

static struct rig rig;
static unsigned lows;

static void low(struct ring *ring)
{
	assert_ptr_equal(ring, &rig.ring);
	assert_true(ring_room(ring) < RESERVE);
	assert_int_equal(ring->published, ring->control->data_head);
	assert_int_equal(ring->claim, UINT64_MAX);
	lows++;
}

static int set_up(void **state)
{
	(void)state;
	rig_init(&rig, SIZE, 0, 0, 0);
	ring_set_reserve(&rig.ring, RESERVE, low);
	lows = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_null(rig_drain(&rig, UINT64_MAX));
	assert_null(rig_check(&rig));
	rig_free(&rig);
	return 0;
}

static void write_records(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_true(rig_write(&rig, 0, RECORD, 0));
}

static void each_record_that_leaves_less_than_the_reserve_is_reported(void **state)
{
	(void)state;
	write_records((SIZE - RESERVE) / RECORD);
	assert_int_equal(lows, 0);
	assert_int_equal(ring_room(&rig.ring), RESERVE);
	write_records(3);
	assert_int_equal(lows, 3);
	assert_int_equal(ring_room(&rig.ring), RESERVE - 3 * RECORD);
}

static void the_reserve_is_there_to_be_written(void **state)
{
	(void)state;
	write_records(SIZE / RECORD);
	assert_int_equal(ring_room(&rig.ring), 0);
	assert_int_equal(rig.ring.lost, 0);
	assert_false(rig_write(&rig, 0, RECORD, 0));
}

static void a_reader_that_keeps_up_is_seen(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		write_records(1);
		if (i % 40 == 39)
			assert_null(rig_drain(&rig, UINT64_MAX));
	}
	assert_int_equal(lows, 0);
}

static void write_within(struct rig *r, unsigned nested)
{
	if (nested == 1)
		assert_true(rig_write(r, 1, RECORD, nested));
}

static void the_report_comes_when_all_records_are_published(void **state)
{
	(void)state;
	write_records((SIZE - RESERVE) / RECORD);
	rig.interrupt = write_within;
	assert_true(rig_write(&rig, 0, RECORD, 0));
	assert_true(lows > 0);
	assert_int_equal(rig.ring.control->data_head, SIZE - ring_room(&rig.ring));
}

static void a_writer_alone_leaves_the_reserve_to_the_others(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIZE / RECORD; i++)
		assert_true(rig_write_alone(&rig, 0, RECORD));
	assert_int_equal(lows, RESERVE / RECORD);
	assert_in_range(rig.alone, 1, (SIZE - RESERVE) / RECORD);
}

static void without_a_reserve_nothing_is_reported(void **state)
{
	(void)state;
	ring_set_reserve(&rig.ring, 0, NULL);
	write_records(SIZE / RECORD);
	assert_int_equal(ring_room(&rig.ring), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(each_record_that_leaves_less_than_the_reserve_is_reported),
		TEST(the_reserve_is_there_to_be_written),
		TEST(a_reader_that_keeps_up_is_seen),
		TEST(the_report_comes_when_all_records_are_published),
		TEST(a_writer_alone_leaves_the_reserve_to_the_others),
		TEST(without_a_reserve_nothing_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
