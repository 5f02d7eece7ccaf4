/* SPDX-License-Identifier: MIT */
/* The verifying reader: forward, backward, after a reader that died, and with wrong data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/unit/ringbuf/ring_rig.h"

#define SIZE ((int)TR_PAGE)

static struct rig rig;

static int setup(void **state)
{
	(void)state;
	rig_init(&rig, SIZE, 0, 0, 0);
	return 0;
}

static int setup_backward(void **state)
{
	(void)state;
	rig_init(&rig, SIZE, TR_RING_BACKWARD, 0, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_free(&rig);
	return 0;
}

static struct perf_event_header *header_at(uint64_t offset)
{
	return (struct perf_event_header *)(void *)(rig.data + offset);
}

static void write_records(int count, uint32_t size)
{
	while (count--)
		assert_true(rig_write(&rig, 0, size, 0));
}

/* The writer, or another program with the region, may change a record while it is read. */
static void a_record_stays_as_it_was_checked(void **state)
{
	uint64_t bytes[RING_READER_RECORD / 8];
	const struct perf_event_header *record;

	(void)state;
	write_records(2, 64);
	assert_int_equal(ring_reader_refresh(&rig.reader), 128);
	assert_int_equal(ring_reader_next(&rig.reader, &record), 1);
	header_at(0)->size = 48;
	assert_int_equal(record->size, 64);
	header_at(64)->misc = 77;
	/* the other program changes one of the record's own words */
	header_at(72)->type = 0x55667788;
	assert_int_equal(ring_reader_take(&rig.reader, bytes), 64);
	header_at(64)->size = 48;
	header_at(72)->type = 0;
	assert_int_equal(bytes[0] >> 48, 64);
	assert_int_equal(bytes[0] >> 32 & 0xffff, 77);
	assert_int_equal((uint32_t)bytes[1], 0x55667788);
	assert_int_equal(ring_reader_take(&rig.reader, bytes), 0);
	assert_int_equal(ring_reader_next(&rig.reader, &record), 0);
}

static void nothing_is_given_back_before_release(void **state)
{
	const struct perf_event_header *record;

	(void)state;
	write_records(2, 64);
	ring_reader_refresh(&rig.reader);
	ring_reader_next(&rig.reader, &record);
	assert_int_equal(rig.control->data_tail, 0);
	ring_reader_release(&rig.reader);
	assert_int_equal(rig.control->data_tail, 64);
}

static void a_new_reader_continues_where_a_dead_one_was(void **state)
{
	(void)state;
	write_records(10, 64);
	assert_null(rig_drain(&rig, 4));
	memset(&rig.reader, 0xee, sizeof(rig.reader));
	assert_int_equal(ring_reader_init(&rig.reader, rig.control, rig.data, SIZE, 0), 0);
	assert_int_equal(rig.reader.began, 256);
	assert_null(rig_drain(&rig, UINT64_MAX));
	assert_null(rig_check(&rig));
}

static void sizes_that_no_ring_has_are_refused(void **state)
{
	struct ring_reader *reader = &rig.reader;

	(void)state;
	assert_int_equal(ring_reader_init(reader, rig.control, rig.data, 0, 0), -EINVAL);
	assert_int_equal(ring_reader_init(reader, rig.control, rig.data, SIZE / 2, 0), -EINVAL);
	assert_int_equal(ring_reader_init(reader, rig.control, rig.data, SIZE * 3, 0), -EINVAL);
}

static void refuse_head(uint64_t tail, uint64_t head, const char *reason)
{
	rig.control->data_tail = tail;
	rig.control->data_head = head;
	assert_int_equal(ring_reader_init(&rig.reader, rig.control, rig.data, SIZE, 0), -EILSEQ);
	assert_string_equal(rig.reader.error.reason, reason);
}

static void heads_and_tails_that_cannot_be_are_refused(void **state)
{
	(void)state;
	refuse_head(4, 64, "data_tail is not a multiple of 8");
	refuse_head(0, 65, "data_head is not a multiple of 8");
	refuse_head(128, 64, "data_head went back");
	refuse_head(0, SIZE + 8, "data_head is more than the ring ahead of data_tail");
}

static void refuse_record(uint32_t type, uint16_t size, const char *reason)
{
	const struct perf_event_header *record;

	rig.control->data_tail = SIZE + 64;
	rig.control->data_head = SIZE + 192;
	*header_at(64) = (struct perf_event_header){ PERF_RECORD_SAMPLE, 0, 64 };
	*header_at(128) = (struct perf_event_header){ type, 0, size };
	assert_int_equal(ring_reader_init(&rig.reader, rig.control, rig.data, SIZE, 0), 0);
	assert_int_equal(ring_reader_next(&rig.reader, &record), 1);
	assert_int_equal(ring_reader_next(&rig.reader, &record), -EILSEQ);
	assert_string_equal(rig.reader.error.reason, reason);
	assert_int_equal(rig.reader.error.position, SIZE + 128);
	assert_int_equal(rig.reader.error.offset, 128);
	/* and the reader keeps the error */
	assert_int_equal(ring_reader_next(&rig.reader, &record), -EILSEQ);
	assert_int_equal(ring_reader_refresh(&rig.reader), -EILSEQ);
}

static void a_broken_chain_is_refused_with_offset_and_reason(void **state)
{
	(void)state;
	refuse_record(0, 64, "no such record type");
	refuse_record(64, 64, "no such record type");
	refuse_record(9, 0, "a record shorter than its header");
	refuse_record(9, 63, "a record's size is not a multiple of 8");
	refuse_record(9, 72, "a record reaches beyond data_head");
}

static void a_broken_chain_gives_nothing_back(void **state)
{
	(void)state;
	write_records(2, 64);
	header_at(64)->size = 0;
	assert_non_null(rig_drain(&rig, UINT64_MAX));
	assert_int_equal(rig.control->data_tail, 0);
}

static void a_resumed_reader_finds_the_same_error_again(void **state)
{
	const struct perf_event_header *record;

	(void)state;
	write_records(3, 64);
	header_at(64)->size = 0;
	assert_non_null(rig_drain(&rig, UINT64_MAX));
	ring_reader_resume(&rig.reader, 0);
	/* before the reader has refreshed */
	assert_int_equal(ring_reader_next(&rig.reader, &record), 0);
	assert_int_equal(ring_reader_refresh(&rig.reader), 192);
	assert_int_equal(ring_reader_next(&rig.reader, &record), 1);
	assert_int_equal(ring_reader_next(&rig.reader, &record), -EILSEQ);
	assert_int_equal(rig.reader.error.position, 64);
}

static void a_head_that_goes_back_is_refused(void **state)
{
	(void)state;
	write_records(4, 64);
	assert_null(rig_drain(&rig, 2));
	rig.control->data_head = 192;
	assert_int_equal(ring_reader_refresh(&rig.reader), -EILSEQ);
}

/* The numbers of a snapshot's records, newest first. Returns how many. */
static int snapshot(uint64_t *numbers)
{
	const struct perf_event_header *record;
	int count = 0, got;

	assert_true(ring_reader_refresh(&rig.reader) >= 0);
	while ((got = ring_reader_next(&rig.reader, &record)) > 0)
		numbers[count++] = ((const uint64_t *)record)[3];
	assert_int_equal(got, 0);
	return count;
}

static void data_head_of_a_backward_ring_is_the_newest_record(void **state)
{
	(void)state;
	write_records(3, 64);
	assert_int_equal((int64_t)rig.control->data_head, -192);
	assert_int_equal(header_at(SIZE - 192)->type, PERF_RECORD_SAMPLE);
	assert_int_equal(((uint64_t *)(void *)header_at(SIZE - 192))[3], 2);
	assert_int_equal(((uint64_t *)(void *)header_at(SIZE - 64))[3], 0);
}

static void a_backward_ring_is_read_newest_first(void **state)
{
	uint64_t numbers[SIZE / 32];

	(void)state;
	write_records(5, 64);
	assert_int_equal(snapshot(numbers), 5);
	for (int i = 0; i < 5; i++)
		assert_int_equal(numbers[i], 4 - i);
}

static void a_snapshot_does_not_repeat_the_last_ones_records(void **state)
{
	uint64_t numbers[SIZE / 32];

	(void)state;
	write_records(5, 64);
	assert_int_equal(snapshot(numbers), 5);
	write_records(2, 64);
	assert_int_equal(snapshot(numbers), 2);
	assert_int_equal(numbers[0], 6);
	assert_int_equal(snapshot(numbers), 0);
}

static void a_still_backward_ring_gives_every_whole_record(void **state)
{
	uint64_t numbers[SIZE / 32];

	(void)state;
	write_records(1000, 72);
	rig.reader.still = true;
	assert_int_equal(snapshot(numbers), SIZE / 72);
	for (int i = 0; i < SIZE / 72; i++)
		assert_int_equal(numbers[i], 999 - i);
}

static void the_oldest_quarter_of_a_live_backward_ring_is_not_trusted(void **state)
{
	uint64_t numbers[SIZE / 32];

	(void)state;
	write_records(1000, 64);
	assert_int_equal(snapshot(numbers), SIZE / 64 * 3 / 4);
}

static void a_record_overwritten_while_it_is_read_ends_the_snapshot(void **state)
{
	const struct perf_event_header *record;
	uint64_t number = 999;

	(void)state;
	write_records(1000, 64);
	rig.reader.still = true;
	assert_true(ring_reader_refresh(&rig.reader) > 0);
	for (int i = 0; ring_reader_next(&rig.reader, &record) > 0; i++) {
		assert_int_equal(((const uint64_t *)record)[3], number--);
		write_records(1, 64);
	}
	assert_int_equal(number, 999 - SIZE / 64 / 2);
}

static void in_flight_records_of_a_backward_ring_are_bounded(void **state)
{
	struct ring_output outer;

	(void)state;
	assert_non_null(ring_reserve(&outer, &rig.ring, &rig.events[2].account, 64));
	for (uint32_t i = 1; i < TR_IN_FLIGHT(SIZE) / 64; i++)
		assert_true(rig_write(&rig, 0, 64, 1));
	assert_false(rig_write(&rig, 0, 64, 1));
	ring_commit(&outer);
	assert_true(rig_write(&rig, 0, 64, 1));
}

static void losses_of_a_backward_ring_are_reported(void **state)
{
	const uint64_t quarter = SIZE - TR_IN_FLIGHT(SIZE); /* the snapshot's end */
	struct ring_output outer;
	uint64_t *words;

	(void)state;
	assert_non_null(ring_reserve(&outer, &rig.ring, &rig.events[2].account, 64));
	for (uint32_t i = 1; i < TR_IN_FLIGHT(SIZE) / 64; i++)
		assert_true(rig_write(&rig, 1, 64, 1));
	assert_false(rig_write(&rig, 0, 64, 1));
	ring_commit(&outer);
	write_records(1, 64);
	words = (uint64_t *)(void *)header_at(quarter - 48);
	assert_int_equal(header_at(quarter - 48)->type,
	                 PERF_RECORD_LOST); /* older than the next record */
	assert_int_equal(words[2], 1);
	assert_int_equal(header_at(quarter - 48 - 64)->type, PERF_RECORD_SAMPLE);
	assert_int_equal(rig.events[0].account.lost, 1);
}

#define CLAIM(name)    cmocka_unit_test_setup_teardown(name, setup, teardown)
#define BACKWARD(name) cmocka_unit_test_setup_teardown(name, setup_backward, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_record_stays_as_it_was_checked),
		CLAIM(nothing_is_given_back_before_release),
		CLAIM(a_new_reader_continues_where_a_dead_one_was),
		CLAIM(sizes_that_no_ring_has_are_refused),
		CLAIM(heads_and_tails_that_cannot_be_are_refused),
		CLAIM(a_broken_chain_is_refused_with_offset_and_reason),
		CLAIM(a_broken_chain_gives_nothing_back),
		CLAIM(a_resumed_reader_finds_the_same_error_again),
		CLAIM(a_head_that_goes_back_is_refused),
		BACKWARD(data_head_of_a_backward_ring_is_the_newest_record),
		BACKWARD(a_backward_ring_is_read_newest_first),
		BACKWARD(a_snapshot_does_not_repeat_the_last_ones_records),
		BACKWARD(a_still_backward_ring_gives_every_whole_record),
		BACKWARD(the_oldest_quarter_of_a_live_backward_ring_is_not_trusted),
		BACKWARD(a_record_overwritten_while_it_is_read_ends_the_snapshot),
		BACKWARD(in_flight_records_of_a_backward_ring_are_bounded),
		BACKWARD(losses_of_a_backward_ring_are_reported),
	};

	return cmocka_run_group_tests_name("ring reader", tests, NULL, NULL);
}
