/* SPDX-License-Identifier: MIT */
/* A line as it is typed on the machine's keyboard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "agent/input/keyboard_line.h"
#include "lib/console/console.h"
#include "lib/console/keyboard.h"

static const char *keys;
static char shown[4096], text[COMMAND_MAX_LENGTH + 1];

char keyboard_get(void)
{
	return *keys ? *keys++ : 0;
}

void console_write(const char *bytes, size_t length)
{
	assert_int_equal(strnlen(bytes, length), length);
	strncat(shown, bytes, length);
}

/* Press these keys. Returns whether they end a line. */
static bool type(const char *pressed)
{
	bool ended = false;

	keys = pressed;
	shown[0] = 0;
	while (*keys && !ended)
		ended = keyboard_line_take(text);
	return ended || keyboard_line_take(text);
}

static void enter_ends_a_line_that_is_echoed(void **state)
{
	(void)state;
	assert_false(type("lis"));
	assert_true(type("t -1\nmore"));
	assert_string_equal(text, "list -1");
	assert_string_equal(shown, "t -1\n");
	assert_string_equal(keys, "more");
}

static void an_empty_line_is_none(void **state)
{
	(void)state;
	assert_false(type("\n\n"));
	assert_string_equal(shown, "");
}

static void typing_errors_can_be_deleted(void **state)
{
	(void)state;
	assert_true(type("\bab\b\b\bc\n"));
	assert_string_equal(text, "c");
	assert_string_equal(shown, "ab\b \b\b \bc\n");
	assert_true(type("abc\bd\n"));
	assert_string_equal(text, "abd");
	assert_true(
	    type("cd\x15"
	         "ef\n"));
	assert_string_equal(text, "ef");
	assert_true(
	    type("ab\x03"
	         "cd\x15"
	         "ef\x1bgh\n"));
	assert_string_equal(text, "gh");
}

static void a_line_has_a_bound(void **state)
{
	static char pressed[COMMAND_MAX_LENGTH + 10];

	(void)state;
	memset(pressed, 'x', sizeof(pressed) - 2);
	pressed[sizeof(pressed) - 2] = '\n';
	assert_true(type(pressed));
	assert_int_equal(strlen(text), COMMAND_MAX_LENGTH);
	assert_true(type("next\n"));
	assert_string_equal(text, "next");
}

static void other_control_characters_are_nothing(void **state)
{
	(void)state;
	assert_true(
	    type("a\t\x01\x1a"
	         "b\n"));
	assert_string_equal(text, "ab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enter_ends_a_line_that_is_echoed),
		cmocka_unit_test(an_empty_line_is_none),
		cmocka_unit_test(typing_errors_can_be_deleted),
		cmocka_unit_test(a_line_has_a_bound),
		cmocka_unit_test(other_control_characters_are_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
