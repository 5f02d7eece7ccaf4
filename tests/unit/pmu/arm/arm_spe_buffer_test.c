/* SPDX-License-Identifier: MIT */
/* The SPE driver and its buffer: limits, reports of the buffer's events, snapshots. */
#include <stdlib.h>
#include <string.h>

#include "pmu/arm/arm_spe_config.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/arm/arm_spe_rig.h"

static void the_worked_example_of_wakeups(void **state)
{
	(void)state;
	begin(2, PAGE / 2, false);
	assert_int_equal(limit(), PAGE); /* half a page, rounded up */
	assert_int_equal(sample(64), 64);
	expect(0, PAGE, 0);
	assert_int_equal(aux.wakeup, PAGE);
	assert_int_equal(arm_spe_of(&event)->output.wakeup, PAGE + PAGE / 2);
	assert_int_equal(limit(), 2 * PAGE);
	assert_int_equal(owner.causes[TR_WAKEUP_AUX], 1);
}

static void a_full_area_truncates_and_continues_when_there_is_room(void **state)
{
	(void)state;
	begin(2, PAGE / 2, false);
	assert_int_equal(sample(200), 128);
	expect(0, PAGE, 0);
	expect(PAGE, PAGE, PERF_AUX_FLAG_TRUNCATED);
	assert_int_equal(owner.causes[TR_WAKEUP_AUX], 2);
	poll();
	assert_false(has_buffer());
	expect_nothing(); /* the owner was notified once */
	take(64);         /* less than a page: the limit would be below the pointer */
	poll();
	assert_false(has_buffer());
	take(PAGE);
	poll();
	assert_true(has_buffer());
	assert_int_equal(at(), 0);
	assert_int_equal(limit(), PAGE);
	assert_int_equal(sample(10), 10);
	event_disable(&event);
	expect(2 * PAGE, 640, 0);
	expect_nothing();
	assert_int_equal(aux.truncated, 1);
}

static void the_end_collects_the_open_piece(void **state)
{
	(void)state;
	begin(8, 0, false);
	sample(3);
	model.delayed = 5;
	event_disable(&event);
	expect(0, 8 * 64, 0);
	expect_nothing();
}

/* The last record that fills the buffer may not be written yet when the interrupt comes. */
static void the_interrupt_collects_the_open_piece(void **state)
{
	(void)state;
	begin(2, PAGE, false);
	assert_int_equal(sample(63), 63);
	model.delayed = 1;
	spurious();
	assert_int_equal(model.delayed, 0);
	expect(0, PAGE, 0);
	assert_int_equal(at(), PAGE);
	assert_true(has_buffer());
}

static void an_interrupt_in_the_midst_of_the_end_changes_nothing(void **state)
{
	(void)state;
	begin(2, PAGE, false);
	sample(60);
	model.delayed = 4; /* the buffer is full when they are written */
	model.late = true;
	model.reg[PMBSR_EL1] |= PMBSR_COLL;
	event_disable(&event);
	assert_false(model.late);
	expect(0, PAGE, PERF_AUX_FLAG_COLLISION);
	expect_nothing();
	assert_int_equal(aux.head, PAGE);
}

static void records_that_leave_a_rest_of_a_page_are_padded(void **state)
{
	struct perf_record_aux got;
	uint64_t reported = 0, end = 0;

	(void)state;
	model.reg[PMBIDR_EL1] = 0; /* no alignment */
	model.record = 60;
	begin(4, PAGE, false);
	for (unsigned i = 0; i < 2000; i++) {
		sample(1);
		while (next_aux(&got)) {
			assert_int_equal(got.aux_size % 60, 0);
			reported += got.aux_size;
			end = got.aux_offset + got.aux_size;
			take(end);
		}
		poll();
	}
	event_disable(&event);
	while (next_aux(&got)) {
		reported += got.aux_size;
		end = got.aux_offset + got.aux_size;
	}
	assert_int_equal(reported % 60, 0);
	assert_true(aux.skipped > 0);
	assert_int_equal(reported + aux.skipped, aux.head);
	assert_int_equal(end, aux.head); /* the AUX records report the padding, too */
}

static void each_event_has_its_flag(void **state)
{
	static const struct {
		uint64_t status, flags;
		unsigned kept; /* of four records */
	} cases[] = {
		{ FULL, 0, 4 },
		{ FULL | PMBSR_COLL, PERF_AUX_FLAG_COLLISION, 4 },
		{ FULL | PMBSR_DL, PERF_AUX_FLAG_PARTIAL, 4 },
		{ FAULT, PERF_AUX_FLAG_PARTIAL, 4 },
		{ FAULT | PMBSR_DL, PERF_AUX_FLAG_PARTIAL, 3 },
		{ FAULT | PMBSR_DL | PMBSR_COLL, PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION,
		  3 },
		{ PMBSR_S | PMBSR_EA | PMBSR_DL, PERF_AUX_FLAG_PARTIAL, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		spe_set_up(NULL);
		begin(8, 0, false);
		sample(4);
		spe_raise(cases[i].status);
		expect(0, cases[i].kept * 64, cases[i].flags);
		assert_int_equal(aux.lost, (4 - cases[i].kept) * 64);
		poll();
		assert_true(has_buffer());
		assert_int_equal(at(), cases[i].kept * 64);
		event_disable(&event);
	}
}

static void a_collision_without_an_interrupt_is_reported_at_the_end(void **state)
{
	(void)state;
	begin(8, 0, false);
	sample(4);
	model.reg[PMBSR_EL1] |= PMBSR_COLL;
	event_disable(&event);
	expect(0, 256, PERF_AUX_FLAG_COLLISION);
}

static void a_fault_that_stays_is_given_up(void **state)
{
	unsigned tries = 0;

	(void)state;
	begin(8, 0, false);
	for (unsigned i = 0; i < 100; i++) {
		if (has_buffer()) {
			spe_raise(FAULT);
			tries++;
			assert_false(
			    has_buffer()); /* the buffer is not enabled again before the tick */
		}
		poll();
	}
	assert_in_range(tries, 2, 10);
}

static void an_interrupt_without_a_cause_changes_nothing(void **state)
{
	(void)state;
	begin(8, 0, false);
	sample(4);
	spurious();
	expect_nothing();
	assert_true(has_buffer());
	assert_int_equal(at(), 256);
	event_disable(&event);
	spe_raise(FULL); /* and one more record after the end of the buffer */
	assert_false(model.reg[PMBLIMITR_EL1] & PMBLIMITR_E);
}

static void discard_mode_has_no_buffer(void **state)
{
	(void)state;
	describe(1ULL << 35, 4096);
	begin(2, 0, false);
	assert_int_equal(model.reg[PMBLIMITR_EL1] & 7, PMBLIMITR_E | PMBLIMITR_DISCARD);
	poll();
	event_disable(&event);
	expect_nothing();
	assert_int_equal(aux.head, 0);
}

static void a_snapshot_holds_the_newest_half_at_least(void **state)
{
	struct perf_record_aux got;

	(void)state;
	for (unsigned records = 1; records < 2000; records += 37) {
		spe_set_up(NULL);
		begin(4, 0, true);
		assert_int_equal(sample(records), records);
		expect_nothing();
		assert_int_equal(owner.causes[TR_WAKEUP_AUX], 0);
		pmu_arm_spe.snapshot(&event);
		assert_true(next_aux(&got));
		assert_int_equal(got.flags, PERF_AUX_FLAG_OVERWRITE);
		assert_int_equal(got.aux_offset + got.aux_size, records * 64ULL);
		assert_true(got.aux_size == records * 64ULL || got.aux_size >= 2 * PAGE);
		assert_true(got.aux_size <= 4 * PAGE);
		assert_int_equal(aux.overwritten + got.aux_size, records * 64ULL);
		poll();
		assert_false(has_buffer()); /* the reader copies */
		take(aux.head);
		poll();
		assert_true(has_buffer());
		assert_int_equal(sample(3), 3);
		event_disable(&event);
		expect(records * 64ULL, 192, PERF_AUX_FLAG_OVERWRITE);
	}
}

static void records_before_the_wrap_are_in_the_snapshot(void **state)
{
	(void)state;
	begin(4, 0, true);
	sample(4);
	model.reg[PMBSR_EL1] |= PMBSR_COLL;
	sample(2 * PAGE / 64); /* the record of the wrap is among them */
	pmu_arm_spe.snapshot(&event);
	expect(0, 2 * PAGE + 256, PERF_AUX_FLAG_OVERWRITE | PERF_AUX_FLAG_COLLISION);
	take(aux.head);
	poll();
	sample(1);
	event_disable(&event);
	expect(2 * PAGE + 256, 64, PERF_AUX_FLAG_OVERWRITE); /* once */
}

static void a_snapshot_of_uneven_records_begins_with_one(void **state)
{
	struct perf_record_aux got;

	(void)state;
	model.reg[PMBIDR_EL1] = 0;
	model.record = 60;
	begin(AREA_PAGES, 0, true);
	memset(spe_area, 0xff, AREA_PAGES * PAGE);
	sample(1000);
	event_disable(&event);
	assert_true(next_aux(&got));
	assert_int_equal(got.aux_offset % (AREA_PAGES / 2 * PAGE), 0);
	for (uint64_t i = 0; i < got.aux_size; i++) {
		uint8_t byte = spe_area[(got.aux_offset + i) % (AREA_PAGES * PAGE)];

		assert_true(byte == 0x01 || byte == 0); /* records and padding, no stale bytes */
	}
}

/* For any sizes, watermark and reader's pace: a limit is never at or below the pointer (the model
 * counts), and every byte is reported once, skipped, or lost because there was no buffer. */
static void no_combination_goes_astray(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t pages = 2ULL << rand() % 3, reported = 0, tail = 0;
		struct perf_record_aux got;

		spe_set_up(NULL);
		model.record = rand() % 2 ? 64 : 1 + (uint64_t)rand() % 64;
		model.reg[PMBIDR_EL1] = model.record == 64 ? 6 : 0;
		begin(pages, 1 + (uint64_t)rand() % (pages * PAGE), false);
		for (unsigned i = 0; i < 30; i++) {
			sample((unsigned)rand() % 100);
			while (next_aux(&got)) {
				reported += got.aux_size;
				tail = got.aux_offset + got.aux_size;
			}
			if (rand() % 3)
				take(tail);
			poll();
		}
		event_disable(&event);
		while (next_aux(&got))
			reported += got.aux_size;
		assert_int_equal(reported + aux.skipped, aux.head);
		assert_int_equal(reported % model.record, 0);
		assert_int_equal(model.backward_limits, 0);
		assert_int_equal(aux.lost, 0);
	}
}

static unsigned waits;
static bool in_vain;

static bool await_room(struct perf_event *of, uint64_t bytes)
{
	assert_ptr_equal(of, &event);
	if (!bytes)
		return true;
	waits++;
	if (!in_vain)
		take(aux.head);
	return !in_vain;
}

/* Nobody reads except in the wait for room. */
static void while_the_cpu_waits_no_piece_is_cut(void **state)
{
	struct perf_record_aux got;
	unsigned pieces = 0;

	(void)state;
	begin(2, 2 * PAGE, false); /* full at each interrupt */
	event.await_room = await_room;
	waits = 0;
	assert_int_equal(sample(1000), 1000);
	event_disable(&event);
	for (; next_aux(&got); pieces++)
		assert_int_equal(got.flags, 0);
	assert_int_equal(pieces, 1000 / 128 + 1);
	assert_int_equal(waits, 1000 / 128);
	assert_int_equal(aux.head, 1000 * model.record);
}

static void after_a_vain_wait_the_gap_is_reported(void **state)
{
	(void)state;
	begin(2, 0, false);
	event.await_room = await_room;
	in_vain = true;
	assert_int_equal(sample(200), 64);
	assert_false(has_buffer());
	expect(0, PAGE, 0);
	in_vain = false;
	take(PAGE);
	poll();
	assert_true(has_buffer());
	assert_int_equal(sample(10), 10);
	event_disable(&event);
	expect(PAGE, 640, PERF_AUX_FLAG_PARTIAL);
	expect_nothing();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spe_set_up, spe_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_worked_example_of_wakeups),
		TEST(a_full_area_truncates_and_continues_when_there_is_room),
		TEST(the_end_collects_the_open_piece),
		TEST(the_interrupt_collects_the_open_piece),
		TEST(an_interrupt_in_the_midst_of_the_end_changes_nothing),
		TEST(records_that_leave_a_rest_of_a_page_are_padded),
		TEST(each_event_has_its_flag),
		TEST(a_collision_without_an_interrupt_is_reported_at_the_end),
		TEST(a_fault_that_stays_is_given_up),
		TEST(an_interrupt_without_a_cause_changes_nothing),
		TEST(discard_mode_has_no_buffer),
		TEST(a_snapshot_holds_the_newest_half_at_least),
		TEST(records_before_the_wrap_are_in_the_snapshot),
		TEST(a_snapshot_of_uneven_records_begins_with_one),
		TEST(no_combination_goes_astray),
		TEST(while_the_cpu_waits_no_piece_is_cut),
		TEST(after_a_vain_wait_the_gap_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
