/* SPDX-License-Identifier: MIT */
/* The AUX area: padding, carried and lost bytes, and the ledger of bytes. */
#include <errno.h>

#include "tests/unit/ringbuf/ring_aux_rig.h"

#define PAGE ((uint64_t)TR_PAGE)

static void skipped_bytes_are_reported_by_no_record(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_begin(&out);
	assert_int_equal(ring_aux_skip(&out, 16), 0);
	assert_int_equal(aux.head, 16);
	assert_int_equal(out.size, 2 * PAGE - 16);
	ring_aux_end(&out, 24);
	aux_expect(16, 24, 0);
	aux_begin(&out);
	assert_int_equal(ring_aux_skip(&out, 2 * PAGE), -ENOSPC);
	assert_int_equal(aux.skipped, 16);
}

static void padding_with_nothing_behind_it_is_an_empty_range(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_begin(&out);
	assert_int_equal(ring_aux_skip(&out, 16), 0);
	ring_aux_end(&out, 0);
	aux_expect(16, 0, 0);
}

static void the_room_is_the_space_that_the_reader_has_released(void **state)
{
	struct ring_aux_output out;

	(void)state;
	assert_int_equal(ring_aux_room(&aux), 2 * PAGE);
	aux_transact(PAGE + 24, 0);
	assert_int_equal(ring_aux_room(&aux), PAGE - 24);
	aux_begin(&out);
	/* bytes that the hardware may write are not used yet */
	assert_int_equal(ring_aux_room(&aux), PAGE - 24);
	rig.control->aux_tail = PAGE;
	assert_int_equal(ring_aux_room(&aux), 2 * PAGE - 24);
	ring_aux_end(&out, 0);
	assert_true(ring_aux_taken(&aux)); /* nothing to wait for except room */
}

/* Four pages are written several times: only data that the last half of the area did not overwrite
 * are reported; the rest counts as overwritten. */
static void a_snapshot_is_the_newest_and_then_waits_for_its_reader(void **state)
{
	struct ring_aux_output out;

	(void)state;
	assert_int_equal(aux_give_area(4, 0, true), 0);
	aux_begin(&out);
	for (unsigned i = 0; i < 5; i++)
		ring_aux_pass(&out, 2 * PAGE);
	assert_int_equal(aux.head, 10 * PAGE);
	ring_aux_end(&out, 24);
	aux_expect(8 * PAGE, 2 * PAGE + 24, PERF_AUX_FLAG_OVERWRITE);
	assert_int_equal(aux.overwritten, 8 * PAGE);
	assert_int_equal(aux_wakeups(), 0);
	assert_false(ring_aux_taken(&aux));
	rig.control->aux_tail = 10 * PAGE + 24;
	assert_true(ring_aux_taken(&aux));
	aux_transact(PAGE, 0);
	aux_expect(10 * PAGE + 24, PAGE, PERF_AUX_FLAG_OVERWRITE);
	assert_int_equal(aux.overwritten + 3 * PAGE + 24, aux.head);
}

static void skipping_over_a_watermark_wakes(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_begin(&out);
	assert_int_equal(ring_aux_skip(&out, PAGE / 2), 0);
	assert_int_equal(aux_wakeups(), 1);
	assert_int_equal(out.wakeup, PAGE);
}

static void fill_data_ring(void)
{
	while (rig_write(&rig, 0, 64, 0))
		;
}

static void an_aux_record_without_room_is_carried(void **state)
{
	uint64_t lost;

	(void)state;
	fill_data_ring();
	aux_transact(24, PERF_AUX_FLAG_PARTIAL);
	aux_transact(48, PERF_AUX_FLAG_COLLISION);
	lost = rig.events[1].account.lost;
	assert_int_equal(lost, 2);
	assert_int_equal(aux.records, 0);
	assert_null(rig_drain(&rig, UINT64_MAX));
	aux_transact(72, 0);
	assert_int_equal(rig.events[1].account.lost, lost);
	ring_reader_refresh(&rig.reader);
	rig.reader.position += 48; /* LOST */
	aux_expect(0, 72, PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION);
	aux_expect(72, 72, 0);
}

static void padding_does_not_get_into_a_carried_range(void **state)
{
	struct ring_aux_output out;

	(void)state;
	fill_data_ring();
	aux_transact(24, 0);
	aux_begin(&out);
	assert_int_equal(ring_aux_skip(&out, 8), -ENOSPC);
	assert_null(rig_drain(&rig, UINT64_MAX));
	assert_int_equal(ring_aux_skip(&out, 8), 0);
	ring_aux_end(&out, 48);
	ring_reader_refresh(&rig.reader);
	rig.reader.position += 48;
	aux_expect(0, 24, 0);
	aux_expect(32, 48, 0);
}

static void a_flush_without_room_costs_no_record(void **state)
{
	(void)state;
	fill_data_ring();
	aux_transact(24, 0);
	for (int tick = 0; tick < 5; tick++)
		assert_false(ring_aux_flush(&aux));
	assert_int_equal(rig.events[1].account.lost, 1);
	assert_null(rig_drain(&rig, UINT64_MAX));
	assert_true(ring_aux_flush(&aux));
}

static void an_aux_tail_out_of_bounds_is_refused_and_counted_once(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_transact(2 * PAGE, 0);
	rig.control->aux_tail = 2 * PAGE + 1;
	assert_int_equal(ring_aux_begin(&out, &aux, 1), -ENOSPC);
	assert_int_equal(ring_aux_begin(&out, &aux, 1), -ENOSPC);
	assert_int_equal(rig.ring.tail_faults, 1);
	rig.control->aux_tail = PAGE;
	aux_begin(&out);
	assert_int_equal(out.size, PAGE);
	ring_aux_end(&out, 0);
	rig.control->aux_tail = 8;
	aux_begin(&out);
	assert_int_equal(out.size, PAGE);
	assert_int_equal(rig.ring.tail_faults, 2);
}

static void hardware_that_overruns_is_cut_off_and_counted(void **state)
{
	struct ring_aux_output out;

	(void)state;
	aux_begin(&out);
	ring_aux_end(&out, 2 * PAGE + 64);
	aux_expect(0, 2 * PAGE, PERF_AUX_FLAG_PARTIAL);
	assert_int_equal(aux.lost, 64);
}

static void the_ledger_has_every_byte(void **state)
{
	struct tr_ring_ledger ledger = { 0 };
	struct ring_aux_output out;

	(void)state;
	aux_transact(100, PERF_AUX_FLAG_TRUNCATED);
	aux_begin(&out);
	assert_int_equal(ring_aux_skip(&out, 28), 0);
	ring_aux_lost(&out, 7);
	ring_aux_end(&out, 200);
	ring_aux_publish(&aux, &ledger);
	assert_int_equal(ledger.aux_head, 328);
	assert_int_equal(ledger.aux_written, 328);
	assert_int_equal(ledger.aux_skipped, 28);
	assert_int_equal(ledger.aux_lost, 7);
	assert_int_equal(ledger.aux_records, 2);
	assert_int_equal(ledger.aux_truncated, 1);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, aux_setup, aux_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(skipped_bytes_are_reported_by_no_record),
		CLAIM(padding_with_nothing_behind_it_is_an_empty_range),
		CLAIM(the_room_is_the_space_that_the_reader_has_released),
		CLAIM(a_snapshot_is_the_newest_and_then_waits_for_its_reader),
		CLAIM(skipping_over_a_watermark_wakes),
		CLAIM(an_aux_record_without_room_is_carried),
		CLAIM(padding_does_not_get_into_a_carried_range),
		CLAIM(a_flush_without_room_costs_no_record),
		CLAIM(an_aux_tail_out_of_bounds_is_refused_and_counted_once),
		CLAIM(hardware_that_overruns_is_cut_off_and_counted),
		CLAIM(the_ledger_has_every_byte),
	};

	return cmocka_run_group_tests_name("ring AUX bytes", tests, NULL, NULL);
}
