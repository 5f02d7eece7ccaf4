/* SPDX-License-Identifier: MIT */
/* The machine's wait for its reader. The clock runs faster than under any -icount of QEMU's, so
 * that what ends here ends by what was done, not by virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define clock_now test_clock_now
#include "agent/reader.c"

#define RUN 7

static struct tr_header header;
static struct trace_region region = { .header = &header, .run = RUN };
static uint64_t now;       /* ns */
static void (*turn)(void); /* the reader's, each time that somebody looks */
static unsigned pumps;     /* that the channel was asked for */
static unsigned turns;     /* in which renew_seldom() was asked */

static void pump(struct channel *channel)
{
	(void)channel;
	pumps++;
}

static const struct channel_ops line = { .name = "line", .pump = pump };
static struct channel channel = { .ops = &line };

/* A second of the machine's between two looks. */
uint64_t test_clock_now(void)
{
	now += NSEC_PER_SEC;
	turn();
	return now;
}

static enum tr_reader_found await(void (*what)(void))
{
	enum tr_reader_found found;

	turn = what;
	found = reader_await(&region, &channel);
	assert_int_equal(header.reader_found, found);
	return found;
}

/* The header says how long it was: so many looks. */
static void assert_waited(uint64_t looks)
{
	assert_int_equal(header.reader_wait, looks * NSEC_PER_SEC);
}

static int setup(void **state)
{
	(void)state;
	memset(&header, 0, sizeof(header));
	header.reader_wait = 1; /* of the last run */
	memset(&lost, 0, sizeof(lost));
	now = 0;
	turns = pumps = 0;
	return 0;
}

static void stand_still(void)
{
}

static void renew(void)
{
	header.reader.lease++;
}

static void become_ready_late(void)
{
	renew();
	if (now >= 3600 * NSEC_PER_SEC)
		header.reader.ready = RUN;
}

static void withdraw(void)
{
	renew();
	if (now >= 60 * NSEC_PER_SEC)
		header.reader.id = 0;
}

/* As slow as can be: each time just before its lease is lost. */
static void renew_seldom(void)
{
	if (++turns % (TR_LEASE_LOST_MS * NSEC_PER_MSEC / LOOK_NS - 1) == 0)
		renew();
}

static void a_reader_that_is_ready_is_waited_for(void **state)
{
	(void)state;
	header.reader.id = 1;
	assert_int_equal(await(become_ready_late), TR_READER_READY);
	assert_waited(3600);
}

static void who_is_ready_already_costs_nothing(void **state)
{
	(void)state;
	header.reader = (struct tr_reader){ .id = 1, .ready = RUN };
	assert_int_equal(await(stand_still), TR_READER_READY);
	assert_int_equal(header.reader_wait, 0);
}

static void nobody_is_not_waited_for(void **state)
{
	(void)state;
	header.reader = (struct tr_reader){ .lease = 5, .ready = RUN - 1 };
	assert_false(reader_is_announced(&region));
	assert_int_equal(await(stand_still), TR_READER_NONE);
	assert_int_equal(header.reader_wait, 0);
}

static void readiness_for_the_last_run_is_none_for_this_one(void **state)
{
	uint64_t began = region.heartbeat;

	(void)state;
	header.reader = (struct tr_reader){ .id = 1, .ready = RUN - 1 };
	assert_int_equal(await(withdraw), TR_READER_GONE);
	assert_waited(60);
	assert_int_equal(pumps, 60); /* or nobody would see it withdraw */
	assert_int_equal(header.heartbeat - began, 60);
}

static void a_lease_that_stands_still_is_lost_and_not_waited_for_again(void **state)
{
	(void)state;
	header.reader = (struct tr_reader){ .id = 3, .lease = 9 };
	assert_true(reader_is_announced(&region));
	assert_int_equal(await(stand_still), TR_READER_GONE);
	assert_waited(TR_LEASE_LOST_MS * NSEC_PER_MSEC / LOOK_NS);
	assert_false(reader_is_announced(&region));
	assert_int_equal(await(stand_still), TR_READER_NONE);
	assert_int_equal(header.reader_wait, 0);
	assert_false(reader_await_end(&region, &channel));
	header.reader.lease++; /* it lives, or another has come */
	assert_true(reader_is_announced(&region));
}

static void a_reader_that_never_becomes_ready_delays_a_run_to_a_bound(void **state)
{
	(void)state;
	header.reader.id = 1;
	assert_int_equal(await(renew_seldom), TR_READER_LATE);
	assert_waited(TR_READER_MS * NSEC_PER_MSEC / LOOK_NS);
}

static void its_end_is_that_it_withdraws(void **state)
{
	(void)state;
	turn = withdraw;
	header.reader.id = 1;
	assert_true(reader_await_end(&region, &channel));
	assert_true(now >= 60 * NSEC_PER_SEC);
	turn = stand_still;
	header.reader.id = 1;
	assert_false(reader_await_end(&region, &channel));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, setup)
		TEST(a_reader_that_is_ready_is_waited_for),
		TEST(who_is_ready_already_costs_nothing),
		TEST(nobody_is_not_waited_for),
		TEST(readiness_for_the_last_run_is_none_for_this_one),
		TEST(a_lease_that_stands_still_is_lost_and_not_waited_for_again),
		TEST(a_reader_that_never_becomes_ready_delays_a_run_to_a_bound),
		TEST(its_end_is_that_it_withdraws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
