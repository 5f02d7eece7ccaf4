/* SPDX-License-Identifier: MIT */
/* Pieces of AUX areas on their way into perf.data, from a session's drain to the file's bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "abi/event_types.h"
#include "tests/unit/writer/session/aux_rig.h"

static void each_piece_follows_its_record_and_ends_with_an_empty_branch(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, 72, 0);
	aux_rig_put(0, 72, 24, 0);
	aux_rig_put(1, 500, 48, 0);
	aux_rig_put(0, 96, 20, 0); /* not a whole number of words */
	aux_rig_finish();
	assert_int_equal(aux_file.count, 4);
	aux_rig_expect(0, 0, 0, aux_pattern, 72, 96);
	aux_rig_expect(1, 0, 72, aux_pattern + 72, 24, 48);
	aux_rig_expect(2, 0, 96, aux_pattern + 96, 20, 48);
	aux_rig_expect(3, 1, 0, aux_pattern + 500, 48, 72);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, 116);
	assert_int_equal(session.ledger.rings[0].found.aux_records, 3);
	assert_int_equal(session.ledger.rings[1].found.aux_delivered, 48);
}

static void copied_bytes_are_released_and_the_area_wraps(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_BRANCH_STEP, false);
	aux_rig_put(0, 0, FIXTURE_AUX - 24, 0);
	assert_false(fixture_piece(&fixture, 0, aux_pattern, 72, 0)); /* no room */
	assert_int_equal(aux_rig_control()->aux_tail, 0);
	session_rig_drain();
	assert_int_equal(aux_rig_control()->aux_tail, FIXTURE_AUX - 24);
	aux_rig_put(0, 100, 72, 0); /* 24 bytes at the end, 48 at the start */
	aux_rig_put(0, 172, FIXTURE_AUX - 72, 0);
	session_rig_drain();
	assert_int_equal(aux_rig_control()->aux_tail, 2 * FIXTURE_AUX - 24);
	aux_rig_finish();
	assert_int_equal(aux_file.count, 3);
	aux_rig_expect(0, 0, 0, aux_pattern, FIXTURE_AUX - 24, FIXTURE_AUX);
	aux_rig_expect(1, 0, FIXTURE_AUX - 24, aux_pattern + 100, 72, 96);
	aux_rig_expect(2, 0, FIXTURE_AUX + 48, aux_pattern + 172, FIXTURE_AUX - 72,
	               FIXTURE_AUX - 48);
	assert_int_equal(session.ledger.rings[0].found.aux_unread, 0);
}

static void a_whole_area_is_one_piece(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_ARM_SPE, false);
	aux_rig_put(0, 0, 64, 0);
	session_rig_drain();
	/* padding packets, which stay unchanged */
	memset(aux_pattern, 0, sizeof(aux_pattern));
	aux_pattern[0] = aux_pattern[FIXTURE_AUX - 1] = 1; /* END */
	aux_rig_put(0, 0, FIXTURE_AUX, 0);
	aux_rig_finish();
	assert_int_equal(aux_file.count, 2);
	aux_rig_expect(1, 0, 64, aux_pattern, FIXTURE_AUX, FIXTURE_AUX);
}

/* Its last record is cut; only with PARTIAL may it be removed. */
static void a_complete_piece_stays_unchanged_at_any_offset(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_ARM_SPE, false);
	memset(aux_pattern, 0, sizeof(aux_pattern));
	aux_pattern[0] = 1;     /* END */
	aux_pattern[64] = 0xb0; /* an address without an END after it */
	aux_rig_put(0, 0, 64, 0);
	session_rig_drain();
	aux_rig_put(0, 64, 64, 0);
	aux_rig_finish();
	assert_int_equal(aux_file.count, 2);
	aux_rig_expect(1, 0, 64, aux_pattern + 64, 64, 64);
}

static void flags_stay_and_truncated_is_counted(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, 24, PERF_AUX_FLAG_TRUNCATED);
	session_rig_drain();
	aux_rig_put(0, 24, 24, PERF_AUX_FLAG_COLLISION);
	aux_rig_finish();
	assert_int_equal(aux_file.count, 2);
	assert_int_equal(aux_file.pieces[0].reported.flags, PERF_AUX_FLAG_TRUNCATED);
	assert_int_equal(aux_file.pieces[1].reported.flags, PERF_AUX_FLAG_COLLISION);
	aux_rig_expect(0, 0, 0, aux_pattern, 24, 48);
	aux_rig_expect(1, 0, 24, aux_pattern + 24, 24, 48);
	assert_int_equal(session.ledger.rings[0].found.aux_truncated, 1);
	assert_int_equal(session.ledger.rings[0].found.aux_records, 2);
}

static void an_empty_piece_has_no_bytes_and_gives_back_the_padding_before_it(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, 24, 0);
	fixture_pad(&fixture, 0, 1000);
	session_rig_drain();
	assert_int_equal(aux_rig_control()->aux_tail, 1024);
	aux_rig_put(0, 24, 24, 0);
	aux_rig_finish();
	assert_int_equal(aux_file.aux_records, 3);
	assert_int_equal(aux_file.count, 2);
	aux_rig_expect(0, 0, 0, aux_pattern, 24, 48);
	aux_rig_expect(1, 0, 1024, aux_pattern + 24, 24, 48);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, 48);
}

/* A PC of EL1, Non-secure; an END; and a record that is cut off. */
static const uint8_t packets[32] = { 0xb0, 1, 2, 3, 4, 5, 6, 7, 0xa0, 0x01,
	                             0xb0, 9, 8, 7, 6, 5, 4, 3, 0xa0, 0x00 };

static void spe_pieces_are_converted_for_perf(void **state)
{
	uint8_t cleared[32], cut[32] = { 0 };

	(void)state;
	memcpy(cleared, packets, sizeof(cleared));
	cleared[8] = cleared[18] = 0x20; /* NS is bit 63 */
	memcpy(cut, cleared, 10);
	aux_rig_begin(PERF_TYPE_ARM_SPE, false);
	assert_true(fixture_piece(&fixture, 0, packets, 32, 0));
	assert_true(fixture_piece(&fixture, 0, packets, 32, PERF_AUX_FLAG_PARTIAL));
	aux_rig_finish();
	assert_int_equal(aux_file.count, 2);
	aux_rig_expect(0, 0, 0, cleared, 32, 32);
	aux_rig_expect(1, 0, 32, cut, 32, 32);
	/* The copy was changed, not the area. */
	assert_memory_equal(trace_region_at(&fixture.region, fixture.region.rings[0].aux_offset),
	                    packets, 32);
}

/* A trace that overwrites the area several times: only the newest piece is reported, and it wraps.
 * */
static void a_snapshot_is_the_newest_and_the_rest_is_overwritten(void **state)
{
	uint8_t *area, newest[FIXTURE_AUX / 2 + 24];
	struct ring_aux_output out;

	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, true);
	area = trace_region_at(&fixture.region, fixture.region.rings[0].aux_offset);
	memcpy(area, aux_pattern, FIXTURE_AUX);
	assert_int_equal(ring_aux_begin(&out, &fixture.aux[0], 1), 0);
	for (unsigned i = 0; i < 4; i++)
		ring_aux_pass(&out, FIXTURE_AUX / 2);
	ring_aux_end(&out, 24);
	aux_rig_finish();
	assert_int_equal(aux_file.count, 1);
	memcpy(newest, aux_pattern + FIXTURE_AUX / 2, FIXTURE_AUX / 2);
	memcpy(newest + FIXTURE_AUX / 2, aux_pattern, 24);
	aux_rig_expect(0, 0, 3 * FIXTURE_AUX / 2, newest, sizeof(newest), sizeof(newest) + 24);
	assert_int_equal(aux_file.pieces[0].reported.flags, PERF_AUX_FLAG_OVERWRITE);
	assert_int_equal(aux_rig_control()->aux_tail, 2 * FIXTURE_AUX + 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, aux_rig_setup, aux_rig_teardown)
		TEST(each_piece_follows_its_record_and_ends_with_an_empty_branch),
		TEST(copied_bytes_are_released_and_the_area_wraps),
		TEST(a_whole_area_is_one_piece),
		TEST(a_complete_piece_stays_unchanged_at_any_offset),
		TEST(flags_stay_and_truncated_is_counted),
		TEST(an_empty_piece_has_no_bytes_and_gives_back_the_padding_before_it),
		TEST(spe_pieces_are_converted_for_perf),
		TEST(a_snapshot_is_the_newest_and_the_rest_is_overwritten),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
