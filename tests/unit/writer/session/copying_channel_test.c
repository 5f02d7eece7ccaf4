/* SPDX-License-Identifier: MIT */
/* A session on a running machine over the copying channel, with its tears and delays; and channels
 * with a known fault are detected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "host-tools/ledger/check.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/temporary.h"
#include "tests/unit/writer/session/session_rig.h"

#define ROUNDS 300

static unsigned left; /* samples that the machine may still write without the channel's knowledge */

static void write_one(void *context)
{
	(void)context;
	if (!left)
		return;
	left--;
	fixture_sample(&fixture, left & 1, 0, left, 1000, 4);
}

static void prepare(enum copying_fault fault)
{
	channel_rig_copies = true;
	channel_rig_copying =
	    (struct copying_options){ .piece = 16384, .fault = fault, .meanwhile = write_one };
	left = 0;
	fixture_init(&fixture, 0);
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		fixture.owners[i].wakeup_events = 1;
		ring_set_owner(&fixture.rings[i], &fixture.owners[i]);
	}
}

static void begin(enum copying_fault fault)
{
	prepare(fault);
	session_rig_begin(NULL);
}

/* Whether the reader has seen all records that no doorbell announces. */
static bool may_sleep(unsigned ring)
{
	const struct perf_event_mmap_page *control =
	    (void *)(fixture.bytes + fixture.region.rings[ring].control);

	return session.readers[ring].position == control->data_head ||
	       fixture.region.doorbells[ring].pending;
}

/* How often a reader would sleep for ever, in so many drains beside a machine that writes. */
static unsigned missed(enum copying_fault fault)
{
	unsigned count = 0;

	begin(fault);
	for (unsigned i = 0; i < ROUNDS; i++) {
		fixture_sample(&fixture, 0, 0, i, 1000, 4);
		left = 1 + i % 4;
		session_rig_drain();
		for (unsigned ring = 0; ring < FIXTURE_RINGS; ring++)
			count += !may_sleep(ring);
	}
	assert_int_equal(session.trouble, 0);
	left = 0;
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	session_rig_end();
	return count;
}

static void a_reader_sleeps_through_nothing(void **state)
{
	(void)state;
	assert_int_equal(missed(COPYING_RIGHT), 0);
}

static void a_channel_that_does_not_look_again_behind_a_cleared_doorbell_is_found_out(void **state)
{
	(void)state;
	assert_int_not_equal(missed(COPYING_NO_LOOK_AGAIN), 0);
}

static void a_channel_that_clears_doorbells_late_is_found_out(void **state)
{
	(void)state;
	assert_int_not_equal(missed(COPYING_CLEARS_LATE), 0);
}

/* The record's place in the copy is still empty, so the record is refused. */
static void heads_ahead_of_the_copied_bytes_are_detected(void **state)
{
	(void)state;
	begin(COPYING_HEADS_LAST);
	for (unsigned i = 0; i < ROUNDS && !session.trouble; i++) {
		left = 4;
		session_rig_drain();
	}
	assert_int_equal(session.trouble, -EPROTO);
	session_rig_end();
}

/* The cable brought an event's count from a publication whose ring words had not come yet. */
static void a_half_published_ledger_is_not_used_for_a_joined_run(void **state)
{
	const struct session_options how = { .host = &session_host,
		                             .output = path,
		                             .others_read = true };
	struct tr_event_ledger *half;

	(void)state;
	prepare(COPYING_RIGHT);
	temporary_path(path, "session-join");
	for (unsigned i = 0; i < 3; i++)
		fixture_sample(&fixture, 0, 0, i, 1000, 4);
	fixture_publish(&fixture);
	half = &fixture.region.event_ledger[0];
	half->written++;
	half->period += 4;
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&channel);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	half->written--;
	half->period -= 4;
	assert_int_equal(session_begin(&session, &region, &how, &error), 0);
	session_rig_drain();
	fixture_complete(&fixture);
	assert_int_equal(session_finish(&session, false, &error), 0);
	assert_true(check_conserved(&session.ledger, NULL, NULL));
	session_rig_end();
}

static int end(void **state)
{
	(void)state;
	channel_rig_copying = (struct copying_options){ .piece = 16384 };
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, NULL, end)
		TEST(a_reader_sleeps_through_nothing),
		TEST(a_channel_that_does_not_look_again_behind_a_cleared_doorbell_is_found_out),
		TEST(a_channel_that_clears_doorbells_late_is_found_out),
		TEST(heads_ahead_of_the_copied_bytes_are_detected),
		TEST(a_half_published_ledger_is_not_used_for_a_joined_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
