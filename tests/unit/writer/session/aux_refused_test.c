/* SPDX-License-Identifier: MIT */
/* Records that report impossible bytes of an AUX area, or bytes without an area, and bytes that no
 * record reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/event_types.h"
#include "tests/unit/writer/session/aux_rig.h"

static void bytes_without_a_record_are_unread_when_a_machine_is_cut_off(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, 72, 0);
	session_rig_drain();
	/* the hardware has continued, and no record has reported it */
	aux_rig_control()->aux_head = 100;
	assert_int_equal(session_finish(&session, true, &error), 0);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, 72);
	assert_int_equal(session.ledger.rings[0].found.aux_unread, 28);
}

/* After a piece of `before` bytes a record reports impossible ones: it is refused, none of its
 * bytes are copied or freed, and the other ring continues. */
static void refuses(uint64_t before, uint64_t offset, uint64_t size)
{
	char where[64];

	aux_rig_setup(NULL);
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, before, 0);
	session_rig_drain();
	aux_rig_put(0, 0, 72, 0);
	aux_rig_put(1, 0, 48, 0);
	aux_rig_first_record()[1].offset = offset;
	aux_rig_first_record()[1].size = size;
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), -EPROTO);
	snprintf(where, sizeof(where), "0x%llx bytes at position 0x%llx", (unsigned long long)size,
	         (unsigned long long)offset);
	if (!strstr(error.text, "ring 0") || !strstr(error.text, where))
		fail_msg("%s", error.text);
	assert_int_equal(session.ledger.rings[0].found.aux_unread, 72);
	aux_rig_read();
	assert_int_equal(aux_file.count, 2);
	aux_rig_expect(0, 0, 0, aux_pattern, before, before + 24);
	aux_rig_expect(1, 1, 0, aux_pattern, 48, 72);
	assert_int_equal(aux_rig_control()->aux_tail, before);
	assert_int_equal(session.ledger.rings[0].found.aux_delivered, before);
	aux_rig_teardown(NULL);
}

static void ranges_that_cannot_be_are_refused(void **state)
{
	(void)state;
	refuses(FIXTURE_AUX, FIXTURE_AUX, 73);                           /* beyond the head */
	refuses(FIXTURE_AUX, FIXTURE_AUX + 80, 0);                       /* behind it */
	refuses(FIXTURE_AUX, 0, FIXTURE_AUX + 72);                       /* more than the area */
	refuses(FIXTURE_AUX, 64, 8);                                     /* overwritten since */
	refuses(24, UINT64_MAX - 7, 16);                                 /* comes round */
	refuses(FIXTURE_AUX, FIXTURE_AUX, UINT64_MAX - FIXTURE_AUX + 1); /* to 0 */
	refuses(24, 8, UINT64_MAX);
}

static void the_oldest_bytes_that_are_there_can_be_read(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, FIXTURE_AUX, 0);
	session_rig_drain();
	aux_rig_put(0, 0, 72, 0);
	aux_rig_first_record()[1].offset = 72; /* head - area */
	aux_rig_first_record()[1].size = FIXTURE_AUX;
	session_rig_drain();
	assert_int_equal(session.trouble, 0);
	session_finish(&session, true, &error);
	aux_rig_read();
	assert_int_equal(aux_file.count, 2);
	assert_int_equal(aux_file.pieces[1].trace.size, FIXTURE_AUX + 24);
}

/* An AUX record in a ring that has no AUX area. */
static void a_record_of_an_area_that_is_not_there_is_refused(void **state)
{
	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	session.region.rings[0].aux_size = 0;
	aux_rig_put(0, 0, 72, 0);
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), -EPROTO);
	aux_rig_read();
	assert_int_equal(aux_file.count, 0);
}

/* Too short for a range: two records in place of one. */
static void a_record_without_a_range_is_passed_over(void **state)
{
	uint64_t *words;

	(void)state;
	aux_rig_begin(PERF_TYPE_INTEL_BTS, false);
	aux_rig_put(0, 0, 72, 0);
	words = (uint64_t *)(void *)aux_rig_first_record();
	words[0] = PERF_RECORD_AUX | 24ULL << 48;
	words[2] = FIXTURE_ID(0, 0);
	words[3] = PERF_RECORD_AUX | 40ULL << 48;
	words[4] = 0;
	words[5] = 24;
	session_rig_drain();
	assert_int_equal(session.trouble, 0);
	assert_int_equal(aux_rig_control()->aux_tail, 24);
	session_finish(&session, true, &error);
	aux_rig_read();
	assert_int_equal(aux_file.aux_records, 2);
	assert_int_equal(aux_file.count, 1);
	assert_int_equal(aux_file.pieces[0].trace.size, 48);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, aux_rig_setup, aux_rig_teardown)
		TEST(bytes_without_a_record_are_unread_when_a_machine_is_cut_off),
		cmocka_unit_test(ranges_that_cannot_be_are_refused),
		TEST(the_oldest_bytes_that_are_there_can_be_read),
		TEST(a_record_of_an_area_that_is_not_there_is_refused),
		TEST(a_record_without_a_range_is_passed_over),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
