/* SPDX-License-Identifier: MIT */
/* Typed keys, by scan codes of set 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/console/keyboard.h"

static struct keyboard keyboard;
static char typed[128];

static int begin(void **state)
{
	(void)state;
	memset(&keyboard, 0, sizeof(keyboard));
	memset(typed, 0, sizeof(typed));
	return 0;
}

static void send(const char *codes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char c = keyboard_decode(&keyboard, (uint8_t)codes[i]);

		if (c)
			typed[strlen(typed)] = c;
	}
}
#define SEND(codes) send(codes, sizeof(codes) - 1)

static void keys_are_characters_and_their_release_is_none(void **state)
{
	(void)state;
	SEND("\x26\xa6\x17\x97\x1f\x9f\x14\x94\x39\xb9\x0c\x8c\x02\x82\x1c\x9c\x0e\x8e");
	assert_string_equal(typed, "list -1\n\b");
}

static void every_printable_character_can_be_typed(void **state)
{
	(void)state;
	for (unsigned code = 0; code < 0x80; code++)
		send((char[]){ (char)code },
		     code != 0x2a && code != 0x36 && code != 0x1d && code != 0x3a);
	for (unsigned code = 0; code < 0x80; code++) {
		send("\x2a", 1);
		send((char[]){ (char)code },
		     code != 0x2a && code != 0x36 && code != 0x1d && code != 0x3a);
		send("\xaa", 1);
	}
	for (int c = ' '; c <= '~'; c++)
		assert_non_null(strchr(typed, c));
}

static void shift_is_held_and_capitals_are_of_letters_alone(void **state)
{
	(void)state;
	SEND("\x2a\x1e\x02\xaa\x1e\x02"); /* A! a1 */
	SEND("\x3a\xba\x1e\x02\x36\x1e\x02\xb6\x3a\xba\x1e");
	assert_string_equal(typed, "A!a1A1a!a");
}

static void control_with_a_letter_is_a_control_character(void **state)
{
	(void)state;
	SEND("\x1d\x2e\x02\x9d\x2e\xe0\x1d\x2e\xe0\x9d");
	assert_string_equal(typed,
	                    "\x03"
	                    "c\x03");
}

/* Enter and / of the number pad count; arrows, and the shifts that keyboards insert, do not. */
static void extended_keys_are_not_taken_for_others(void **state)
{
	(void)state;
	SEND("\xe0\x2a\xe0\x48\xe0\xc8\xe0\xaa\x1e\xe0\x35\xe0\xb5\xe0\x1c\xe0\x9c");
	assert_string_equal(typed, "a/\n");
}

static void codes_that_no_key_has_are_nothing(void **state)
{
	(void)state;
	SEND("\x00\xff\xfa\xaa\x7f\x58\xe1\x1e");
	assert_string_equal(typed, "a");
}

#define TEST(function) cmocka_unit_test_setup(function, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keys_are_characters_and_their_release_is_none),
		TEST(every_printable_character_can_be_typed),
		TEST(shift_is_held_and_capitals_are_of_letters_alone),
		TEST(control_with_a_letter_is_a_control_character),
		TEST(extended_keys_are_not_taken_for_others),
		TEST(codes_that_no_key_has_are_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
