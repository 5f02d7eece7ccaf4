/* SPDX-License-Identifier: MIT */
/* A channel's rate, and the options that are suggested for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host-tools/session/pace.h"

static void the_pace_is_of_the_times_at_which_something_was_waited_for(void **state)
{
	struct pace pace = { 0 };

	(void)state;
	pace_note(&pace, 1, 0);
	pace_note(&pace, 2, 10000); /* counted from the first look on */
	assert_true(pace_rate(&pace) == 0 && pace_left(&pace) == 0);
	pace_note(&pace, 2.5, 10000);
	pace_note(&pace, 3, 9000); /* 1,000 bytes came in one second */
	assert_true(pace_rate(&pace) == 1000);
	assert_true(pace_left(&pace) == 9);
	pace_note(&pace, 9, 50000); /* a second look: the rest of the last amount came */
	pace_note(&pace, 11, 46000);
	assert_true(pace_rate(&pace) == 14000 / 9.0);
	pace_note(&pace, 12, 0);
	assert_true(pace_rate(&pace) == 6000 && pace_left(&pace) == 0);
	pace_note(&pace, 20, 0); /* no bytes were waiting */
	assert_true(pace_rate(&pace) == 6000);
	pace_note(&pace, 30, 7000);
	pace_note(&pace, 30.5, 7000); /* a piece comes as a whole */
	pace_note(&pace, 31, 0);
	assert_true(pace_rate(&pace) == 67000 / 11.0);
}

static void a_short_time_gives_no_pace(void **state)
{
	struct pace pace = { 0 };

	(void)state;
	pace_note(&pace, 1, 9000);
	pace_note(&pace, 1.25, 1000);
	assert_true(pace_rate(&pace) == 0 && pace_left(&pace) == 0);
	pace_note(&pace, 1.5, 500);
	assert_true(pace_rate(&pace) == 17000);
}

static void advice_is_of_two_digits_and_on_the_safe_side(void **state)
{
	(void)state;
	assert_int_equal(pace_period(100000, 2.345), 240000);
	assert_int_equal(pace_period(1000, 1.2), 1200);
	assert_int_equal(pace_period(1, 1.5), 2);
	assert_int_equal(pace_period(99, 1.001), 100);
	assert_int_equal(pace_period(UINT64_MAX, 9), UINT64_MAX);
	assert_int_equal(pace_freq(10000, 2.345), 4200);
	assert_int_equal(pace_freq(1000, 1.0001), 990);
	assert_int_equal(pace_freq(50, 3), 16);
	assert_int_equal(pace_freq(2, 3), 1);
}

/* 1,000 records of 50 bytes were written in a second, of so many generated; the channel carries
 * 5,000 bytes a second. */
static struct ledger_event events[2];
static struct ledger_ring ring;

static const char *advice(uint64_t generated, uint64_t flags)
{
	static char text[64];
	struct ledger ledger = { .head = { .event_count = 2, .ring_count = 1 },
		                 .events = events,
		                 .rings = &ring };
	const struct pace pace = { .bytes = 10000, .seconds = 2 };

	events[0] = (struct ledger_event){
		.ledger = { .generated = generated / 2, .written = 500, .time_enabled = 1000000000 }
	};
	events[0].event.attr.sample_period = 1000;
	events[0].event.attr.flags = flags;
	events[1] = events[0];
	events[1].event.attr.sample_period = 2000;
	ring.ledger.data_head = 50000;
	return pace_advice(&pace, &ledger, text, sizeof(text)) ? text : "none";
}

static void fitting_options_are_suggested_for_a_slow_channel(void **state)
{
	(void)state;
	/* the advised period: 20 times as much, and a tenth more */
	assert_string_equal(advice(2000, 0), "-c 44000");
	assert_string_equal(advice(2000, PERF_ATTR_FREQ), "-F 45");
	/* so only 4,000 of the 50,000 bytes had to be carried meanwhile */
	ring.ring.data_size = 46000;
	assert_string_equal(advice(2000, 0), "-c 55000");
	ring.ring.data_size = 50000;
	assert_string_equal(advice(2000, 0), "-c 44000");
	assert_string_equal(advice(1000, 0), "none"); /* nothing was lost */
	events[0].ledger = events[1].ledger = (struct tr_event_ledger){ 0 };
	ring.ring.aux_size = 4096;
	assert_string_equal(advice(2000, 0), "none");
	ring.ring = (struct tr_ring){ .flags = TR_RING_BACKWARD };
	assert_string_equal(advice(2000, 0), "none");
	ring.ring = (struct tr_ring){ 0 };
}

static void a_disk_must_have_room_for_waiting_records_and_the_file_s_end(void **state)
{
	(void)state;
	assert_int_equal(pace_short_of(5000000, 7000000), 0);
	assert_int_equal(pace_short_of(5000000, 5000000 + (1 << 20)), 0);
	assert_int_equal(pace_short_of(5000000, 5000000 + (1 << 20) - 1), 1);
	assert_int_equal(pace_short_of(5000000, 0), 5000000 + (1 << 20));
	assert_int_equal(pace_short_of(0, 0), 0); /* no bytes are known to be waiting */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pace_is_of_the_times_at_which_something_was_waited_for),
		cmocka_unit_test(a_short_time_gives_no_pace),
		cmocka_unit_test(advice_is_of_two_digits_and_on_the_safe_side),
		cmocka_unit_test(fitting_options_are_suggested_for_a_slow_channel),
		cmocka_unit_test(a_disk_must_have_room_for_waiting_records_and_the_file_s_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
