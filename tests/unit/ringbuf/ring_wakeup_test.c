/* SPDX-License-Identifier: MIT */
/* Wakeups: of which reader, by which event, and how often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/ringbuf/ring_rig.h"

#define SIZE ((int)TR_PAGE)

static struct rig rig;

static void begin(uint32_t flags, uint32_t events, uint32_t watermark)
{
	rig_init(&rig, SIZE, flags, events, watermark);
}

static void end(void)
{
	const char *wrong = rig.reader.backward ? NULL : rig_drain(&rig, UINT64_MAX);

	if (!wrong && !rig.reader.backward)
		wrong = rig_check(&rig);
	if (wrong)
		fail_msg("%s", wrong);
	rig_free(&rig);
}

/* Write so many bytes in records of 64 bytes; read and acknowledge everything at each wakeup. */
static uint64_t wakeups_of(uint64_t bytes)
{
	uint64_t before = rig.notified;

	for (; bytes; bytes -= 64) {
		assert_true(rig_write(&rig, 0, 64, 0));
		if (rig.doorbell.pending) {
			rig.doorbell.pending = 0;
			assert_null(rig_drain(&rig, UINT64_MAX));
		}
	}
	return rig.notified - before;
}

static void half_of_the_ring_wakes_by_default(void **state)
{
	(void)state;
	begin(0, 0, 0);
	assert_int_equal(wakeups_of(SIZE / 2 - 64), 0);
	assert_int_equal(wakeups_of(64), 1);
	assert_int_equal(wakeups_of(SIZE * 10), 20);
	end();
}

static void a_watermark_wakes_each_time_that_so_many_bytes_came(void **state)
{
	(void)state;
	begin(0, 0, 512);
	assert_int_equal(wakeups_of(448), 0);
	assert_int_equal(wakeups_of(64), 1);
	assert_int_equal(wakeups_of(SIZE * 4), 32);
	end();
}

static void a_watermark_above_half_of_the_ring_is_half(void **state)
{
	(void)state;
	begin(0, 0, SIZE);
	assert_int_equal(wakeups_of(SIZE * 2), 4);
	end();
}

static void wakeup_events_counts_samples(void **state)
{
	(void)state;
	begin(0, 3, 0);
	assert_int_equal(wakeups_of(64 * 2), 0);
	assert_int_equal(wakeups_of(64), 1);
	assert_int_equal(wakeups_of(64 * 27), 9); /* less than half of the ring */
	end();
}

static void wakeup_events_does_not_count_side_band(void **state)
{
	struct ring_output out;

	(void)state;
	begin(0, 2, 0);
	for (int i = 0; i < 10; i++) {
		assert_non_null(ring_reserve(&out, &rig.ring, &rig.events[1].account, 32));
		ring_commit(&out);
	}
	assert_int_equal(rig.notified, 0);
	rig_free(&rig);
}

static void half_of_the_ring_wakes_even_if_wakeup_events_cannot_be_reached(void **state)
{
	(void)state;
	begin(0, 100000, 0);
	assert_int_equal(wakeups_of(SIZE * 3), 6);
	end();
}

static void a_record_larger_than_the_watermark_wakes_once(void **state)
{
	(void)state;
	begin(0, 0, 8);
	assert_true(rig_write(&rig, 0, 512, 0));
	assert_int_equal(rig.owner.causes[TR_WAKEUP_THRESHOLD], 1);
	assert_true(rig_write(&rig, 0, 64, 0));
	assert_int_equal(rig.owner.causes[TR_WAKEUP_THRESHOLD], 2);
	end();
}

static void a_full_ring_wakes_once_per_episode(void **state)
{
	(void)state;
	begin(0, 0, 0);
	for (int episode = 1; episode <= 3; episode++) {
		for (int i = 0; i < SIZE / 64 + 10; i++)
			rig_write(&rig, 0, 64, 0);
		assert_int_equal(rig.owner.causes[TR_WAKEUP_FULL], episode);
		assert_null(rig_drain(&rig, UINT64_MAX));
	}
	end();
}

static void wakeups_that_find_one_pending_are_coalesced(void **state)
{
	(void)state;
	begin(0, 1, 0);
	for (int i = 0; i < 7; i++)
		assert_true(rig_write(&rig, 0, 64, 0));
	assert_int_equal(rig.owner.causes[TR_WAKEUP_THRESHOLD], 7);
	assert_int_equal(rig.owner.sent, 1);
	assert_int_equal(rig.owner.coalesced, 6);
	end();
}

static void the_end_and_aux_are_causes_of_their_own(void **state)
{
	(void)state;
	begin(0, 0, 0);
	ring_wake(&rig.ring, TR_WAKEUP_AUX);
	rig.doorbell.pending = 0;
	ring_wake(&rig.ring, TR_WAKEUP_END);
	assert_int_equal(rig.owner.causes[TR_WAKEUP_AUX], 1);
	assert_int_equal(rig.owner.causes[TR_WAKEUP_END], 1);
	assert_int_equal(rig.owner.sent, 2);
	end();
}

static void an_unanswered_wakeup_is_repeated_at_each_tick(void **state)
{
	(void)state;
	begin(0, 1, 0);
	ring_tick(&rig.ring);
	assert_true(rig_write(&rig, 0, 64, 0));
	assert_int_equal(rig.notified, 1);
	ring_tick(&rig.ring); /* it may have been sent just now */
	assert_int_equal(rig.notified, 1);
	ring_tick(&rig.ring);
	ring_tick(&rig.ring);
	assert_int_equal(rig.notified, 3);
	assert_int_equal(rig.owner.sent, 1);
	assert_int_equal(rig.owner.repeated, 2);
	rig.doorbell.pending = 0;
	ring_tick(&rig.ring);
	assert_int_equal(rig.owner.repeated, 2);
	end();
}

/* As on a machine without fences: the reader clears pending between the writer's load and store. */
static void a_wakeup_taken_for_pending_by_mistake_is_made_up_for(void **state)
{
	(void)state;
	begin(0, 1, 0);
	assert_true(rig_write(&rig, 0, 64, 0));
	ring_tick(&rig.ring);
	assert_true(rig_write(&rig, 0, 64, 0)); /* coalesced; and now the reader sleeps */
	assert_int_equal(rig.owner.coalesced, 1);
	ring_tick(&rig.ring);
	assert_int_equal(rig.notified, 2);
	end();
}

static void the_end_rings_even_if_a_wakeup_is_pending(void **state)
{
	(void)state;
	begin(0, 1, 0);
	assert_true(rig_write(&rig, 0, 64, 0));
	ring_wake(&rig.ring, TR_WAKEUP_END);
	assert_int_equal(rig.notified, 2);
	assert_int_equal(rig.owner.sent, 1);
	assert_int_equal(rig.owner.coalesced, 1);
	assert_int_equal(rig.owner.repeated, 1);
	end();
}

static void nested_samples_wake_when_the_outermost_is_complete(void **state)
{
	struct ring_output outer;

	(void)state;
	begin(0, 2, 0);
	assert_non_null(ring_reserve(&outer, &rig.ring, &rig.events[2].account, 64));
	assert_true(rig_write(&rig, 0, 64, 1));
	assert_true(rig_write(&rig, 0, 64, 1));
	assert_int_equal(rig.notified, 0);
	ring_commit(&outer);
	assert_int_equal(rig.notified, 1);
	rig_free(&rig);
}

static void the_owner_is_woken_whichever_event_fires(void **state)
{
	(void)state;
	begin(0, 4, 0);
	for (unsigned i = 0; i < 12; i++) {
		assert_true(rig_write(&rig, 1 + i % 2, 64, 0));
		rig.doorbell.pending = 0;
	}
	assert_int_equal(rig.notified, 3);
	end();
}

static void a_ring_without_an_owner_causes_no_wakeup(void **state)
{
	(void)state;
	begin(0, 1, 64);
	ring_set_owner(&rig.ring, NULL);
	for (int i = 0; i < 200; i++)
		rig_write(&rig, 0, 64, 0);
	ring_wake(&rig.ring, TR_WAKEUP_END);
	assert_int_equal(rig.notified, 0);
	end();
}

static void an_overwritable_ring_wakes_only_on_request(void **state)
{
	(void)state;
	begin(TR_RING_BACKWARD, 0, 0);
	for (int i = 0; i < 1000; i++)
		assert_true(rig_write(&rig, 0, 64, 0));
	assert_int_equal(rig.notified, 0);
	end();
	begin(TR_RING_BACKWARD, 0, 640);
	for (int i = 0; i < 100; i++)
		assert_true(rig_write(&rig, 0, 64, 0));
	assert_int_equal(rig.owner.causes[TR_WAKEUP_THRESHOLD], 10);
	end();
}

/* As on a machine that has ended, whose head no longer moves. */
static void an_overwritable_ring_that_stalls_is_read_whole(void **state)
{
	const struct perf_event_header *record;
	struct ring_reader again;
	unsigned found = 0;

	(void)state;
	begin(TR_RING_BACKWARD, 0, 0);
	for (int i = 0; i < 5; i++)
		assert_true(rig_write(&rig, 0, 64, 0));
	assert_int_equal(ring_reader_init(&again, rig.reader.control, rig.reader.data,
	                                  rig.reader.size, TR_RING_BACKWARD),
	                 0);
	assert_true(ring_reader_refresh(&again) > 0);
	while (ring_reader_next(&again, &record) > 0)
		found++;
	assert_int_equal(found, 5);
	assert_int_equal(ring_reader_refresh(&again), 0); /* they were taken */
	end();
}

static void a_reader_sleeps_only_if_nothing_came(void **state)
{
	(void)state;
	begin(0, 1, 0);
	assert_true(rig_may_sleep(&rig));
	assert_true(rig_write(&rig, 0, 64, 0));
	assert_int_equal(rig.doorbell.pending, 1);
	assert_false(rig_may_sleep(&rig));
	assert_int_equal(rig.doorbell.pending, 0);
	assert_null(rig_drain(&rig, UINT64_MAX));
	assert_true(rig_may_sleep(&rig));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_ring_wakes_by_default),
		cmocka_unit_test(a_watermark_wakes_each_time_that_so_many_bytes_came),
		cmocka_unit_test(a_watermark_above_half_of_the_ring_is_half),
		cmocka_unit_test(wakeup_events_counts_samples),
		cmocka_unit_test(wakeup_events_does_not_count_side_band),
		cmocka_unit_test(half_of_the_ring_wakes_even_if_wakeup_events_cannot_be_reached),
		cmocka_unit_test(a_record_larger_than_the_watermark_wakes_once),
		cmocka_unit_test(a_full_ring_wakes_once_per_episode),
		cmocka_unit_test(wakeups_that_find_one_pending_are_coalesced),
		cmocka_unit_test(the_end_and_aux_are_causes_of_their_own),
		cmocka_unit_test(an_unanswered_wakeup_is_repeated_at_each_tick),
		cmocka_unit_test(a_wakeup_taken_for_pending_by_mistake_is_made_up_for),
		cmocka_unit_test(the_end_rings_even_if_a_wakeup_is_pending),
		cmocka_unit_test(nested_samples_wake_when_the_outermost_is_complete),
		cmocka_unit_test(the_owner_is_woken_whichever_event_fires),
		cmocka_unit_test(a_ring_without_an_owner_causes_no_wakeup),
		cmocka_unit_test(an_overwritable_ring_that_stalls_is_read_whole),
		cmocka_unit_test(an_overwritable_ring_wakes_only_on_request),
		cmocka_unit_test(a_reader_sleeps_only_if_nothing_came),
	};

	return cmocka_run_group_tests_name("ring wakeups", tests, NULL, NULL);
}
