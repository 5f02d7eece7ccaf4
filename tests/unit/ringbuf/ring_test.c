/* SPDX-License-Identifier: MIT */
/* The forward ring: space, order, exact loss, and a tail that is not trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "ringbuf/bytes.h"
#include "ringbuf/ledger.h"
#include "tests/unit/ringbuf/ring_rig.h"

#define SIZE TR_PAGE

static int setup(void **state)
{
	static struct rig rig;

	rig_init(&rig, SIZE, 0, 0, 0);
	*state = &rig;
	return 0;
}

static int teardown(void **state)
{
	rig_free(*state);
	return 0;
}

static void fill(struct rig *rig)
{
	while (rig_write(rig, 0, 64, 0))
		;
}

static void assert_fine(struct rig *rig)
{
	const char *wrong = rig_drain(rig, UINT64_MAX);

	if (!wrong)
		wrong = rig_check(rig);
	if (wrong)
		fail_msg("%s", wrong);
}

static void a_config_against_the_rules_is_refused(void **state)
{
	struct rig *rig = *state;
	struct ring_config good = { .control = rig->control,
		                    .data = rig->data,
		                    .size = SIZE,
		                    .max_record = 1024,
		                    .scratch = rig->scratch };
	struct ring_config bad[] = { good, good, good, good, good };
	struct ring ring;

	bad[0].size = SIZE / 2;
	bad[1].size = SIZE * 3;
	bad[2].max_record = 1020;
	bad[3].max_record = 65536;
	bad[4].size = 2 * TR_RING_SIZE_MAX;
	assert_int_equal(ring_init(&ring, &good), 0);
	good.max_record = SIZE; /* and 65535 bytes in larger ones */
	assert_int_equal(ring_init(&ring, &good), 0);
	good.max_record = SIZE + 8;
	assert_int_equal(ring_init(&ring, &good), -EINVAL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(ring_init(&ring, &bad[i]), -EINVAL);
}

static void so_many_bytes_are_cleared_and_no_more(void **state)
{
	uint64_t words[40];

	(void)state;
	for (size_t n = 0; n < 40; n++) {
		memset(words, 0xff, sizeof(words));
		ring_zero(words, 8 * n);
		for (size_t i = 0; i < 40; i++)
			assert_true(words[i] == (i < n ? 0 : UINT64_MAX));
	}
}

static void the_control_page_says_where_the_data_is_and_how_to_tell_time(void **state)
{
	struct rig *rig = *state;
	struct tr_clock clock = { .time_mult = 7, .time_shift = 3, .time_zero = 99 };
	struct ring_config config = { .control = rig->control,
		                      .data = rig->data,
		                      .size = SIZE,
		                      .max_record = 1024,
		                      .scratch = rig->scratch,
		                      .clock = &clock };

	assert_int_equal(ring_init(&rig->ring, &config), 0);
	assert_int_equal(rig->control->size, 96); /* the fields up to perf's __reserved */
	assert_int_equal(rig->control->data_offset, TR_PAGE);
	assert_int_equal(rig->control->data_size, SIZE);
	assert_int_equal(rig->control->time_mult, 7);
	assert_int_equal(rig->control->time_shift, 3);
	assert_int_equal(rig->control->time_zero, 99);
	assert_true(rig->control->capabilities & PERF_CAP_USER_TIME_ZERO);
}

/* A backward ring is read up to a 0, and a forward one up to its head, so its megabytes are not
 * touched before they are written. */
static void a_ring_begins_empty_whatever_was_in_its_memory(void **state)
{
	struct rig *rig = *state;
	struct ring_config config = { .control = rig->control,
		                      .data = rig->data,
		                      .size = SIZE,
		                      .max_record = 1024,
		                      .scratch = rig->scratch };

	for (unsigned backward = 0; backward < 2; backward++) {
		memset(rig->control, 0xff, TR_PAGE);
		memset(rig->data, 0xff, SIZE);
		config.flags = backward ? TR_RING_BACKWARD : 0;
		assert_int_equal(ring_init(&rig->ring, &config), 0);
		assert_int_equal(rig->control->data_head | rig->control->data_tail, 0);
		for (unsigned i = 0; i < SIZE / 8; i++)
			assert_true(((uint64_t *)rig->data)[i] == (backward ? 0 : UINT64_MAX));
	}
}

static void a_record_is_built_in_its_slot_where_it_does_not_wrap(void **state)
{
	struct rig *rig = *state;
	struct ring_output out;

	assert_ptr_equal(ring_reserve(&out, &rig->ring, &rig->events[0].account, 64), rig->data);
	memset(rig->data, 0xff, 64);
	ring_commit(&out);
	assert_ptr_equal(ring_reserve(&out, &rig->ring, &rig->events[0].account, 64),
	                 rig->data + 64);
}

static void a_record_that_wraps_arrives_whole(void **state)
{
	struct rig *rig = *state;

	for (int i = 0; i < 200; i++) {
		assert_true(rig_write(rig, 0, 72, 0));
		assert_null(rig_drain(rig, UINT64_MAX));
	}
	assert_fine(rig);
}

static void a_ring_takes_its_whole_size_and_not_a_byte_more(void **state)
{
	struct rig *rig = *state;

	fill(rig);
	assert_int_equal(rig->control->data_head, SIZE);
	assert_int_equal(rig->events[0].account.written, SIZE / 64);
	assert_int_equal(rig->events[0].account.lost, 1);
}

static void unread_data_is_never_overwritten(void **state)
{
	struct rig *rig = *state;

	for (int i = 0; i < 1000; i++)
		rig_write(rig, 0, 64 + 8 * (i % 5), 0);
	assert_fine(rig);
}

static void lost_precedes_the_next_record_that_fits(void **state)
{
	struct rig *rig = *state;
	const struct perf_event_header *record;

	fill(rig);
	rig_write(rig, 1, 64, 0);
	assert_null(rig_drain(rig, 2));
	assert_true(rig_write(rig, 2, 64, 0));
	assert_null(rig_drain(rig, SIZE / 64 - 2));
	assert_int_equal(ring_reader_next(&rig->reader, &record), 1);
	assert_int_equal(record->type, PERF_RECORD_LOST);
	assert_int_equal(((const uint64_t *)record)[1], 102); /* the next writer's id */
	assert_int_equal(((const uint64_t *)record)[2], 2);   /* lost records of the whole ring */
}

static void lost_counts_against_the_same_reservation(void **state)
{
	struct rig *rig = *state;

	fill(rig);
	assert_null(rig_drain(rig, 1)); /* 64 bytes: room for the record, but not for LOST */
	assert_false(rig_write(rig, 0, 64, 0));
	assert_null(rig_drain(rig, 1));
	assert_true(rig_write(rig, 0, 64, 0));
	assert_int_equal(rig->ring.reported, 2);
	assert_fine(rig);
}

static void the_last_lost_record_stays_in_the_ledger(void **state)
{
	struct rig *rig = *state;

	fill(rig);
	for (int i = 0; i < 9; i++)
		rig_write(rig, i % RIG_EVENTS, 64, 0);
	assert_int_equal(rig->ring.lost, 10);
	assert_int_equal(rig->ring.reported, 0);
	assert_fine(rig);
}

static void side_band_records_are_in_the_ledger(void **state)
{
	struct rig *rig = *state;
	struct ring_account *account = &rig->events[1].account;
	struct perf_event_header *header;
	struct ring_output out;

	header = ring_reserve(&out, &rig->ring, account, 32);
	*header = (struct perf_event_header){ PERF_RECORD_THROTTLE, 0, 32 };
	ring_commit(&out);
	fill(rig);
	assert_null(ring_reserve(&out, &rig->ring, account, 32));
	assert_int_equal(account->generated, 2);
	assert_int_equal(account->written, 1);
	assert_int_equal(account->lost, 1);
	assert_int_equal(account->period, 0);
}

static void a_record_larger_than_promised_is_lost(void **state)
{
	struct rig *rig = *state;

	assert_false(rig_write(rig, 0, SIZE / 4 + 8, 0));
	assert_true(rig_write(rig, 0, SIZE / 4, 0));
	assert_fine(rig);
}

static void a_writer_deeper_than_the_levels_loses_its_wrapping_record(void **state)
{
	struct rig *rig = *state;
	struct ring_output outs[RING_LEVELS];

	assert_true(rig_write(rig, 0, 1000, 0) && rig_write(rig, 0, 1000, 0) &&
	            rig_write(rig, 0, 1000, 0));
	assert_null(rig_drain(rig, UINT64_MAX));
	rig->ring.limit = 0; /* so that all of these writers take a level */
	for (int i = 0; i < RING_LEVELS; i++)
		assert_non_null(ring_reserve(&outs[i], &rig->ring, &rig->events[1].account, 256));
	assert_false(rig_write(rig, 0, 256, RING_LEVELS));
}

static void nested_records_appear_when_the_outermost_is_complete(void **state)
{
	struct rig *rig = *state;
	struct ring_output outer;
	uint64_t *words = ring_reserve_sample(&outer, &rig->ring, &rig->events[2].account, 32, 1);

	rig->events[2].number++;
	assert_true(rig_write(rig, 0, 64, 1));
	assert_true(rig_write(rig, 1, 64, 1));
	assert_int_equal(rig->control->data_head, 0);
	*(struct perf_event_header *)words = (struct perf_event_header){ 9, 0, 32 };
	words[1] = 102;
	words[2] = 1;
	words[3] = 0;
	ring_commit(&outer);
	assert_int_equal(rig->control->data_head, 160);
	assert_fine(rig);
}

static void a_nested_record_with_nothing_to_wait_for_takes_no_level(void **state)
{
	struct rig *rig = *state;
	struct ring_output outer, inner;

	assert_true(rig_write(rig, 0, 64, 0)); /* this record opens the ring again */
	assert_non_null(ring_reserve(&outer, &rig->ring, &rig->events[2].account, 32));
	assert_ptr_equal(ring_reserve(&inner, &rig->ring, &rig->events[1].account, 64),
	                 rig->data + 96);
	assert_int_equal(inner.way, RING_NESTED);
	assert_int_equal(rig->ring.nest, 0);
	assert_int_equal(rig->ring.head, 160);
}

static void nested_records_appear_when_the_outermost_is_lost(void **state)
{
	struct rig *rig = *state;
	struct ring_output outer;

	/* the state in which an outermost writer finds that a handler has just filled the ring */
	rig->ring.claim = 0;
	fill(rig);
	assert_int_equal(rig->control->data_head, 0);
	rig->ring.claim = UINT64_MAX;
	assert_null(ring_reserve_sample(&outer, &rig->ring, &rig->events[0].account, 64, 2));
	assert_int_equal(rig->control->data_head, SIZE);
}

static void refuse_tail(struct rig *rig, uint64_t tail)
{
	uint64_t faults = rig->ring.tail_faults, good = rig->ring.tail;

	rig->control->data_tail = tail;
	assert_int_equal(ring_tail(&rig->ring), good);
	assert_int_equal(rig->ring.tail_faults, faults + 1);
	assert_int_equal(ring_tail(&rig->ring), good);
	assert_int_equal(rig->ring.tail_faults, faults + 1); /* once per change */
}

static void a_tail_out_of_bounds_is_refused_and_counted_once(void **state)
{
	struct rig *rig = *state;

	fill(rig);
	assert_null(rig_drain(rig, 4));
	assert_int_equal(ring_tail(&rig->ring), 256);
	refuse_tail(rig, 248);      /* the tail is below the last good one */
	refuse_tail(rig, 257);      /* not aligned */
	refuse_tail(rig, SIZE + 8); /* the tail is beyond the head */
	refuse_tail(rig, UINT64_MAX - 7);
	rig->control->data_tail = 512;
	assert_int_equal(ring_tail(&rig->ring), 512);
}

static void a_bad_tail_costs_nothing_but_the_space_that_it_does_not_free(void **state)
{
	struct rig *rig = *state;

	fill(rig);
	rig->control->data_tail = SIZE * 2;
	for (int i = 0; i < 10; i++)
		assert_false(rig_write(rig, 1, 64, 0));
	assert_int_equal(rig->ring.tail_faults, 1);
	assert_fine(rig);
	assert_true(rig_write(rig, 1, 64, 0));
	assert_fine(rig);
}

static void each_count_is_published_in_its_own_field(void **state)
{
	struct rig *rig = *state;
	struct tr_ring_ledger ledger = { 0 };
	struct ring ring = { .published = 80,
		             .lost_records = 2,
		             .reported = 3,
		             .lost = 4,
		             .tail_faults = 5,
		             .owner = &rig->owner };

	rig->owner.causes[TR_WAKEUP_THRESHOLD] = 11;
	rig->owner.causes[TR_WAKEUP_FULL] = 12;
	rig->owner.causes[TR_WAKEUP_AUX] = 13;
	rig->owner.causes[TR_WAKEUP_END] = 14;
	rig->owner.sent = 15;
	rig->owner.coalesced = 16;
	rig->owner.repeated = 17;
	ring_publish_ledger(&ring, &ledger);
	assert_int_equal(ledger.data_head, 80);
	assert_int_equal(ledger.lost_records, 2);
	assert_int_equal(ledger.reported, 3);
	assert_int_equal(ledger.lost, 4);
	assert_int_equal(ledger.tail_faults, 5);
	for (unsigned i = 0; i < TR_WAKEUP_CAUSES; i++)
		assert_int_equal(ledger.causes[i], rig->owner.causes[i]);
	assert_int_equal(ledger.sent, 15);
	assert_int_equal(ledger.coalesced, 16);
	assert_int_equal(ledger.repeated, 17);
	ring.flip = UINT64_MAX; /* backward: data_head goes down from 0 */
	ring.owner = NULL;
	ring_publish_ledger(&ring, &ledger);
	assert_true(ledger.data_head == (uint64_t)-80);
}

/* With --lossless=freeze a CPU's clock may stop while others write, so no writer uses the fast
 * path. */
static void if_no_writer_uses_the_fast_path_it_stays_closed(void **state)
{
	struct rig *rig = *state;

	rig->ring.near = 0;
	for (unsigned i = 0; i < 500; i++) {
		if (!rig_write(rig, 0, RIG_MIN_RECORD + i % 9 * 8, 0))
			assert_fine(rig);
		assert_in_range(rig->ring.limit, 0, rig->ring.head + 1);
		assert_in_range(rig->ring.alone, 0, rig->ring.head + 1);
	}
	assert_fine(rig);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_config_against_the_rules_is_refused),
		CLAIM(so_many_bytes_are_cleared_and_no_more),
		CLAIM(the_control_page_says_where_the_data_is_and_how_to_tell_time),
		CLAIM(a_ring_begins_empty_whatever_was_in_its_memory),
		CLAIM(a_record_is_built_in_its_slot_where_it_does_not_wrap),
		CLAIM(a_record_that_wraps_arrives_whole),
		CLAIM(a_ring_takes_its_whole_size_and_not_a_byte_more),
		CLAIM(unread_data_is_never_overwritten),
		CLAIM(lost_precedes_the_next_record_that_fits),
		CLAIM(lost_counts_against_the_same_reservation),
		CLAIM(the_last_lost_record_stays_in_the_ledger),
		CLAIM(side_band_records_are_in_the_ledger),
		CLAIM(a_record_larger_than_promised_is_lost),
		CLAIM(a_writer_deeper_than_the_levels_loses_its_wrapping_record),
		CLAIM(nested_records_appear_when_the_outermost_is_complete),
		CLAIM(a_nested_record_with_nothing_to_wait_for_takes_no_level),
		CLAIM(nested_records_appear_when_the_outermost_is_lost),
		CLAIM(a_tail_out_of_bounds_is_refused_and_counted_once),
		CLAIM(a_bad_tail_costs_nothing_but_the_space_that_it_does_not_free),
		CLAIM(each_count_is_published_in_its_own_field),
		CLAIM(if_no_writer_uses_the_fast_path_it_stays_closed),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
