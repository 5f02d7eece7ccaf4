/* SPDX-License-Identifier: MIT */
/* The AUX area: records, aux_wakeup, flags, and refused arguments. */
#include <errno.h>

#include "tests/unit/ringbuf/ring_aux_rig.h"

#define PAGE ((uint64_t)TR_PAGE)

static void expect_nothing(void)
{
	assert_int_equal(ring_reader_refresh(&rig.reader), 0);
}

static void areas_that_are_none_are_refused(void **state)
{
	(void)state;
	assert_int_equal(aux_give_area(0, 0, false), -EINVAL);
	assert_int_equal(aux_give_area(3, 0, false), -EINVAL);
	assert_int_equal(aux_give_area(2, 0, false), 0);
}

static void the_control_page_says_where_the_area_is(void **state)
{
	(void)state;
	assert_int_equal(rig.control->aux_offset, aux_area - (uint8_t *)rig.control);
	assert_int_equal(rig.control->aux_size, 2 * PAGE);
}

static void a_transaction_publishes_its_bytes_and_an_aux_record(void **state)
{
	(void)state;
	aux_transact(96, 0);
	aux_transact(48, PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION);
	assert_int_equal(rig.control->aux_head, 144);
	aux_expect(0, 96, 0);
	aux_expect(96, 48, PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION);
}

static void nothing_to_tell_writes_no_record(void **state)
{
	(void)state;
	aux_transact(0, 0);
	expect_nothing();
	aux_transact(0, PERF_AUX_FLAG_COLLISION);
	aux_expect(0, 0, PERF_AUX_FLAG_COLLISION);
}

static void a_nested_begin_is_refused(void **state)
{
	struct ring_aux_output outer, inner;

	(void)state;
	aux_begin(&outer);
	assert_int_equal(ring_aux_begin(&inner, &aux, 1), -EBUSY);
	ring_aux_end(&outer, 8);
	aux_begin(&inner);
}

/* Two pages, a watermark of half a page, an interrupt after a page: the last wakeup is at one page,
 * the next at one and a half. */
static void the_worked_example_holds(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_begin(&out);
	assert_int_equal(out.wakeup, PAGE / 2);
	ring_aux_end(&out, PAGE);
	assert_int_equal(aux_wakeups(), 1);
	assert_int_equal(aux.wakeup, PAGE);
	aux_begin(&out);
	assert_int_equal(out.wakeup, PAGE + PAGE / 2);
	assert_int_equal(out.size, PAGE);
}

struct wakeup_case {
	uint64_t pages, watermark; /* 0: half of the area */
	uint64_t steps[6];         /* bytes of each transaction, read at once; 0 ends the list */
	uint64_t wakeups;
	uint64_t next; /* aux_wakeup after them */
};

static const struct wakeup_case WAKEUPS[] = {
	{ 1, 0, { 2047 }, 0, 2048 },
	{ 1, 0, { 2048 }, 1, 4096 },
	{ 1, 0, { 2048, 2047, 1 }, 2, 6144 },
	{ 2, PAGE / 2, { PAGE }, 1, PAGE + PAGE / 2 },
	{ 2, PAGE / 2, { 24, 24, 24 }, 0, PAGE / 2 },
	{ 2, PAGE / 2, { PAGE + 24, PAGE / 2 }, 2, 2 * PAGE },
	{ 4, PAGE, { 3 * PAGE, PAGE, PAGE }, 3, 6 * PAGE },
	{ 4, 1, { 1, 1, 1, 5 }, 4, 9 },
	{ 4, 100, { 99, 1, 250, 50 }, 3, 500 },
	{ 1, 100 * PAGE, { 4095, 1 }, 1, 2 * PAGE }, /* at most as large as the area */
	{ 16, 3000, { 4096, 4096, 4096, 4096 }, 4, 18000 },
};

static void check_wakeups(const struct wakeup_case *c)
{
	uint64_t before = aux_wakeups();
	struct ring_aux_output out;

	assert_int_equal(aux_give_area(c->pages, c->watermark, false), 0);
	rig.control->aux_tail = 0;
	for (int i = 0; i < 6 && c->steps[i]; i++) {
		aux_begin(&out);
		assert_true(out.wakeup > aux.head);
		ring_aux_end(&out, c->steps[i]);
		rig.control->aux_tail = rig.control->aux_head;
		assert_int_equal(ring_reader_refresh(&rig.reader), 56);
		rig.reader.position += 56;
		ring_reader_release(&rig.reader);
	}
	assert_int_equal(aux_wakeups() - before, c->wakeups);
	aux_begin(&out);
	assert_int_equal(out.wakeup, c->next);
}

static void wakeups_follow_the_watermark(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(WAKEUPS) / sizeof(*WAKEUPS); i++)
		check_wakeups(&WAKEUPS[i]);
}

static void the_next_wakeup_is_always_beyond_the_head(void **state)
{
	uint64_t random = 4;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct ring_aux_output out;

		assert_int_equal(aux_give_area(4, 1 + rig_random(&random) % (5 * PAGE), false), 0);
		rig.control->aux_tail = 0;
		for (int i = 0; i < 5; i++) {
			if (ring_aux_begin(&out, &aux, 1))
				break;
			assert_true(out.wakeup > aux.head);
			ring_aux_end(&out, rig_random(&random) % (out.size + 1));
			rig.control->aux_tail = aux.head - rig_random(&random) % PAGE;
		}
		rig_drain(&rig, UINT64_MAX);
		rig.control->data_tail = rig.control->data_head;
		rig.reader.position = rig.control->data_head;
	}
}

static void no_room_is_refused_and_wakes_once(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_transact(2 * PAGE, 0);
	assert_int_equal(aux_wakeups(), 1);
	for (int tick = 0; tick < 5; tick++)
		assert_int_equal(ring_aux_begin(&out, &aux, 1), -ENOSPC);
	assert_int_equal(aux_wakeups(), 2);
}

static void a_second_time_without_room_wakes_again(void **state)
{
	struct ring_aux_output out;

	(void)state;
	for (uint64_t episode = 1; episode <= 3; episode++) {
		aux_transact(2 * PAGE, 0); /* past the watermark: one wakeup */
		assert_int_equal(ring_aux_begin(&out, &aux, 1), -ENOSPC);
		assert_int_equal(ring_aux_begin(&out, &aux, 1), -ENOSPC);
		assert_int_equal(aux_wakeups(), 2 * episode);
		rig.control->aux_tail = rig.control->aux_head;
	}
}

static void a_skip_may_take_all_the_room_and_no_more(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_begin(&out);
	assert_int_equal(ring_aux_skip(&out, 2 * PAGE + 1), -ENOSPC);
	assert_int_equal(ring_aux_skip(&out, 2 * PAGE), 0);
	assert_int_equal(out.size, 0);
	assert_int_equal(ring_aux_skip(&out, 1), -ENOSPC);
	ring_aux_end(&out, 0);
	aux_expect(2 * PAGE, 0, 0); /* the next range begins after the skipped bytes */
	assert_int_equal(aux.skipped, 2 * PAGE);
	assert_int_equal(rig.control->aux_head, 2 * PAGE);
}

static void truncated_wakes_and_stops_until_the_reader_frees(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_transact(PAGE / 4, 0);
	assert_int_equal(aux_wakeups(), 0);
	aux_transact(PAGE / 4 - 8, PERF_AUX_FLAG_TRUNCATED);
	assert_int_equal(aux_wakeups(), 1);
	assert_int_equal(ring_aux_begin(&out, &aux, 2 * PAGE), -ENOSPC);
	assert_int_equal(aux_wakeups(), 1); /* the owner is told of that */
	aux_expect(0, PAGE / 4, 0);
	aux_expect(PAGE / 4, PAGE / 4 - 8, PERF_AUX_FLAG_TRUNCATED);
	rig.control->aux_tail = rig.control->aux_head;
	assert_int_equal(ring_aux_begin(&out, &aux, 2 * PAGE), 0);
	assert_int_equal(aux.head, PAGE / 2 - 8);
}

static void the_flag_partial_causes_no_wakeup(void **state)
{
	(void)state;
	aux_transact(24, PERF_AUX_FLAG_PARTIAL);
	assert_int_equal(aux_wakeups(), 0);
}

static void snapshot_mode_has_no_wakeups_and_no_watermark(void **state)
{
	struct ring_aux_output out;

	(void)state;
	assert_int_equal(aux_give_area(1, 0, true), 0);
	for (int i = 0; i < 10; i++) {
		aux_begin(&out);
		assert_int_equal(out.size, PAGE);
		assert_true(out.wakeup == UINT64_MAX);
		ring_aux_end(&out, PAGE - 96);
		aux_expect((uint64_t)i * (PAGE - 96), PAGE - 96, PERF_AUX_FLAG_OVERWRITE);
	}
	assert_int_equal(aux_wakeups(), 0);
	assert_int_equal(rig.control->aux_head, 10 * (PAGE - 96));
}

static void a_tail_that_stays_where_it_was_is_no_fault(void **state)
{
	(void)state;
	aux_transact(96, 0);
	rig.control->aux_tail = 96;
	aux_transact(96, 0);
	aux_transact(96, 0);
	assert_int_equal(aux.tail, 96);
	assert_int_equal(rig.ring.tail_faults, 0);
}

static void each_count_is_published_in_its_own_field(void **state)
{
	struct tr_ring_ledger ledger = { 0 };

	(void)state;
	aux.head = 1;
	aux.lost = 2;
	aux.skipped = 3;
	aux.overwritten = 4;
	aux.records = 5;
	aux.truncated = 6;
	ring_aux_publish(&aux, &ledger);
	assert_int_equal(ledger.aux_head, 1);
	assert_int_equal(ledger.aux_written, 1);
	assert_int_equal(ledger.aux_lost, 2);
	assert_int_equal(ledger.aux_skipped, 3);
	assert_int_equal(ledger.aux_overwritten, 4);
	assert_int_equal(ledger.aux_records, 5);
	assert_int_equal(ledger.aux_truncated, 6);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, aux_setup, aux_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(areas_that_are_none_are_refused),
		CLAIM(the_control_page_says_where_the_area_is),
		CLAIM(a_transaction_publishes_its_bytes_and_an_aux_record),
		CLAIM(nothing_to_tell_writes_no_record),
		CLAIM(a_nested_begin_is_refused),
		CLAIM(the_worked_example_holds),
		CLAIM(wakeups_follow_the_watermark),
		CLAIM(the_next_wakeup_is_always_beyond_the_head),
		CLAIM(no_room_is_refused_and_wakes_once),
		CLAIM(a_second_time_without_room_wakes_again),
		CLAIM(a_skip_may_take_all_the_room_and_no_more),
		CLAIM(truncated_wakes_and_stops_until_the_reader_frees),
		CLAIM(the_flag_partial_causes_no_wakeup),
		CLAIM(snapshot_mode_has_no_wakeups_and_no_watermark),
		CLAIM(a_tail_that_stays_where_it_was_is_no_fault),
		CLAIM(each_count_is_published_in_its_own_field),
	};

	return cmocka_run_group_tests_name("ring AUX", tests, NULL, NULL);
}
