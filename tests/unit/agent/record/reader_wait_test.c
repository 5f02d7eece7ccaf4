/* SPDX-License-Identifier: MIT */
/* The machine's wait for its reader. The clock runs faster than under any -icount of QEMU's, so a
 * wait that ends here is ended by the reader's actions, not by virtual time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define clock_steady test_clock_steady
#include "agent/record/reader.c"
#include "tests/unit/channel/pumped_uart.h"

#define RUN 7

static struct tr_header header;
static struct trace_region region = { .header = &header, .run = RUN };
static uint64_t now;       /* ns */
static void (*turn)(void); /* the reader's turn, at each look of the machine */
static unsigned pumps;     /* number of times that the channel was pumped */
static unsigned turns;     /* number of turns since the lease was renewed */

static void pump(void)
{
	pumps++;
}

static const struct channel_ops memory = { .name = "memory" };
static struct channel channel = { .ops = &memory };

/* The text does not matter. */
void console_printf(const char *format, ...)
{
	(void)format;
}

/* One second of the machine's time between two looks. */
uint64_t test_clock_steady(void)
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

/* The header holds the length of the wait: so many looks. */
static void assert_waited(uint64_t looks)
{
	assert_int_equal(header.reader_wait, looks * NSEC_PER_SEC);
}

static int setup(void **state)
{
	(void)state;
	memset(&header, 0, sizeof(header));
	header.reader_wait = 1; /* the value of the last run */
	memset(&lost, 0, sizeof(lost));
	now = 0;
	turns = pumps = 0;
	channel.lines = pumped_start(pump);
	return 0;
}

static void do_nothing(void)
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

/* The slowest live reader: it renews its lease just before the lease ends. */
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

static void a_reader_that_is_ready_costs_no_time(void **state)
{
	(void)state;
	header.reader = (struct tr_reader){ .id = 1, .ready = RUN };
	assert_int_equal(await(do_nothing), TR_READER_READY);
	assert_int_equal(header.reader_wait, 0);
}

static void a_reader_that_is_not_announced_is_not_waited_for(void **state)
{
	(void)state;
	header.reader = (struct tr_reader){ .lease = 5, .ready = RUN - 1 };
	assert_false(reader_is_announced(&region));
	assert_int_equal(await(do_nothing), TR_READER_NONE);
	assert_int_equal(header.reader_wait, 0);
}

static void readiness_for_the_last_run_is_none_for_this_one(void **state)
{
	uint64_t began = region.heartbeat;

	(void)state;
	header.reader = (struct tr_reader){ .id = 1, .ready = RUN - 1 };
	assert_int_equal(await(withdraw), TR_READER_GONE);
	assert_waited(60);
	/* the channel is pumped while the machine waits, because otherwise it would not see the
	 * reader's withdrawal */
	assert_int_equal(pumps, 60);
	assert_int_equal(header.heartbeat - began, 60);
}

static void a_lease_that_stalls_is_lost_and_not_waited_for_again(void **state)
{
	(void)state;
	header.reader = (struct tr_reader){ .id = 3, .lease = 9 };
	assert_true(reader_is_announced(&region));
	assert_int_equal(await(do_nothing), TR_READER_GONE);
	assert_waited(TR_LEASE_LOST_MS * NSEC_PER_MSEC / LOOK_NS);
	assert_false(reader_is_announced(&region));
	assert_int_equal(await(do_nothing), TR_READER_NONE);
	assert_int_equal(header.reader_wait, 0);
	assert_false(reader_await_end(&region, &channel));
	header.reader.lease++; /* the reader renews its lease, or another reader has come */
	assert_true(reader_is_announced(&region));
}

static void a_reader_that_never_becomes_ready_delays_a_run_to_a_bound(void **state)
{
	(void)state;
	header.reader.id = 1;
	assert_int_equal(await(renew_seldom), TR_READER_LATE);
	assert_waited(TR_READER_MS * NSEC_PER_MSEC / LOOK_NS);
}

static void the_wait_ends_when_the_reader_withdraws(void **state)
{
	(void)state;
	turn = withdraw;
	header.reader.id = 1;
	assert_true(reader_await_end(&region, &channel));
	assert_true(now >= 60 * NSEC_PER_SEC);
	turn = do_nothing;
	header.reader.id = 1;
	assert_false(reader_await_end(&region, &channel));
}

/* The last looks of a wait that has lasted long. */
static void the_wait_for_a_reader_that_has_all_and_does_not_withdraw_is_bounded(void **state)
{
	struct watch w;

	(void)state;
	reader_forget_rings();
	header.reader.id = 1;
	turn = renew;
	w = reader_begin_to_watch(&region, &channel);
	w.all = TR_READER_END_MS * NSEC_PER_MSEC - 5 * LOOK_NS;
	assert_int_equal(reader_await_reading(&w, &region, true), 0);
	assert_int_equal(now, (1 + 5) * NSEC_PER_SEC);
	assert_int_equal(header.reader.id, 1);
}

static struct perf_event_mmap_page control;

static void read_slowly(void)
{
	header.reader.lease++;
	if (++turns % 1000 == 0 && control.data_tail < 64)
		control.data_tail += 8;
	else if (turns % 1000 == 0 && control.aux_tail < 32)
		control.aux_tail += 8;
}

static void read_and_withdraw(void)
{
	read_slowly();
	if (turns % 1000 == 999 && control.aux_tail == 32)
		header.reader.id = 0;
}

static void the_wait_lasts_as_long_as_the_reading_continues(void **state)
{
	(void)state;
	control.data_tail = control.aux_tail = 0;
	reader_forget_rings();
	reader_note_ring(&control, 64, 32);
	turn = read_slowly;
	reader_await_read(&region, &channel); /* no reader is announced */
	assert_int_equal(turns, 1);
	header.reader.id = 1;
	header.reader.ready = RUN - 1;
	reader_await_read(&region, &channel); /* a reader has come for the next run */
	assert_int_equal(turns, 2);
	header.reader.ready = RUN;
	reader_await_read(&region, &channel);
	assert_int_equal(control.data_tail, 64);
	assert_int_equal(control.aux_tail, 32);
	turns = 0;
	reader_await_read(&region, &channel); /* it has all */
	assert_int_equal(turns, 1);
	control.data_tail = UINT64_MAX; /* garbage delays nothing */
	reader_await_read(&region, &channel);
	assert_int_equal(turns, 2);
	reader_forget_rings();
	control.data_tail = 0;
	reader_await_read(&region, &channel);
	assert_int_equal(turns, 3);
}

static void a_reader_that_does_not_continue_is_waited_for_to_a_bound(void **state)
{
	(void)state;
	control.data_tail = 0;
	reader_forget_rings();
	reader_note_ring(&control, 64, 0);
	header.reader.id = 1;
	header.reader.ready = RUN;
	turn = renew_seldom;
	reader_await_read(&region, &channel);
	assert_in_range(now / NSEC_PER_SEC, TR_READER_MS * NSEC_PER_MSEC / LOOK_NS,
	                TR_READER_MS * NSEC_PER_MSEC / LOOK_NS + 2);
	now = 0;
	header.reader.lease++;
	turn = do_nothing; /* dead */
	reader_await_read(&region, &channel);
	assert_in_range(now / NSEC_PER_SEC, TR_LEASE_LOST_MS * NSEC_PER_MSEC / LOOK_NS,
	                TR_LEASE_LOST_MS * NSEC_PER_MSEC / LOOK_NS + 2);
}

/* Records in RAM are lost when the machine then powers off. */
static void the_end_waits_for_all_that_is_unread_and_no_longer_than_it_is_read(void **state)
{
	(void)state;
	control.data_tail = control.aux_tail = 0;
	reader_forget_rings();
	reader_note_ring(&control, 64, 32);
	header.reader.id = 1;
	turn = renew_seldom;
	/* the reader lives, but does not continue */
	assert_false(reader_await_end(&region, &channel));
	assert_in_range(now / NSEC_PER_SEC, TR_READER_MS * NSEC_PER_MSEC / LOOK_NS,
	                TR_READER_MS * NSEC_PER_MSEC / LOOK_NS + 2);
	header.reader.lease++;
	now = 0;
	turn = withdraw; /* and then the reader withdraws without reading */
	assert_false(reader_await_end(&region, &channel));
	assert_false(reader_await_end(&region, &channel));
	header.reader.id = 1;
	turn = read_and_withdraw;
	assert_true(reader_await_end(&region, &channel));
	assert_int_equal(control.data_tail, 64);
	assert_int_equal(control.aux_tail, 32);
	assert_true(reader_await_end(&region, &channel));
	reader_forget_rings();
}

static void come_at_last(void)
{
	header.reader.id = now > 100 * NSEC_PER_SEC;
}

static void a_reader_to_come_is_waited_for_to_a_bound(void **state)
{
	(void)state;
	turn = come_at_last;
	assert_true(reader_await_one(&region, &channel));
	header.reader.id = 0;
	now = 0;
	turn = do_nothing;
	assert_false(reader_await_one(&region, &channel));
	assert_in_range(now / NSEC_PER_SEC, TR_READER_MS * NSEC_PER_MSEC / LOOK_NS,
	                TR_READER_MS * NSEC_PER_MSEC / LOOK_NS + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, setup)
		TEST(a_reader_that_is_ready_is_waited_for),
		TEST(a_reader_that_is_ready_costs_no_time),
		TEST(a_reader_that_is_not_announced_is_not_waited_for),
		TEST(readiness_for_the_last_run_is_none_for_this_one),
		TEST(a_lease_that_stalls_is_lost_and_not_waited_for_again),
		TEST(a_reader_that_never_becomes_ready_delays_a_run_to_a_bound),
		TEST(the_wait_ends_when_the_reader_withdraws),
		TEST(the_wait_for_a_reader_that_has_all_and_does_not_withdraw_is_bounded),
		TEST(the_wait_lasts_as_long_as_the_reading_continues),
		TEST(a_reader_that_does_not_continue_is_waited_for_to_a_bound),
		TEST(the_end_waits_for_all_that_is_unread_and_no_longer_than_it_is_read),
		TEST(a_reader_to_come_is_waited_for_to_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
