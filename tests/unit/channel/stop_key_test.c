/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "channel/stop_key.h"

#define LATER (STOP_KEY_ALONE_NS + 1)

static struct stop_key key;
static uint64_t now;

/* A byte comes, so many ns after the last one. */
static void comes(uint8_t byte, uint64_t after)
{
	now += after;
	stop_key_feed(&key, byte, now);
}

static bool is_pressed_after(uint64_t ns)
{
	return stop_key_is_pressed(&key, now + ns);
}

static int begin(void **state)
{
	(void)state;
	now = 1000;
	key = (struct stop_key){ .last = now };
	return 0;
}

static void q_escape_and_control_c_are_such_keys(void **state)
{
	(void)state;
	for (unsigned byte = 0; byte < 256; byte++) {
		begin(NULL);
		comes((uint8_t)byte, LATER);
		assert_int_equal(is_pressed_after(LATER), byte == 'q' || byte == 3 || byte == 27);
	}
}

static void a_stop_key_counts_if_nothing_follows(void **state)
{
	(void)state;
	assert_false(is_pressed_after(LATER));
	comes('q', LATER);
	assert_false(is_pressed_after(0));
	assert_false(is_pressed_after(STOP_KEY_ALONE_NS));
	assert_true(is_pressed_after(LATER));
	comes('q', 30000000); /* a key that is held down */
	assert_true(is_pressed_after(LATER));
}

static void an_arrow_key_is_none(void **state)
{
	(void)state;
	comes(27, LATER);
	comes('[', 87000);
	comes('A', 87000);
	assert_false(is_pressed_after(LATER));
}

static void a_program_that_talks_presses_none(void **state)
{
	(void)state;
	comes('A', LATER);
	comes('q', STOP_KEY_ALONE_NS);
	assert_false(is_pressed_after(LATER));
	comes(3, STOP_KEY_ALONE_NS);
	assert_false(is_pressed_after(LATER));
}

static void a_key_pressed_at_the_beginning_does_not_count(void **state)
{
	(void)state;
	comes('q', STOP_KEY_ALONE_NS);
	assert_false(is_pressed_after(LATER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, begin)
		TEST(q_escape_and_control_c_are_such_keys),
		TEST(a_stop_key_counts_if_nothing_follows),
		TEST(an_arrow_key_is_none),
		TEST(a_program_that_talks_presses_none),
		TEST(a_key_pressed_at_the_beginning_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
