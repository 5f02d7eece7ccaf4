/* SPDX-License-Identifier: MIT */
/* Only characters that a terminal prints stay unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "writer/util/printable.h"

/* UTF-8 of a character, by the standard's table of bits. */
static size_t encode(uint32_t c, char *to)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void every_character_is_shown_but_controls_and_those_that_are_none(void **state)
{
	(void)state;
	for (uint32_t c = 0; c < 0x120000; c++) {
		bool is_shown = c >= 0x20 && (c < 0x7f || c > 0x9f) && (c & 0xfffe) != 0xfffe &&
		                (c < 0xd800 || c > 0xdfff) && c < 0x110000;
		char text[4];
		size_t bad = 0, length = encode(c, text);

		if (printable_length(text, length, &bad) != (is_shown ? length : 0))
			fail_msg("U+%04x", c);
		/* of an incomplete character no byte is shown */
		if (length > 1 && (printable_length(text, length - 1, &bad) || bad != 1))
			fail_msg("U+%04x without its end", c);
	}
}

static void bytes_by_themselves_are_shown_where_they_are_ascii(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		char byte = (char)c, is_ascii = c >= 0x20 && c < 0x7f;
		size_t bad;

		assert_int_equal(printable_length(&byte, 1, &bad), is_ascii);
		assert_int_equal(printable_char(byte), is_ascii ? byte : '?');
	}
}

static void controls_become_one_character_each(void **state)
{
	static const struct {
		const char *text, *shown;
	} texts[] = {
		{ "plain", "plain" },
		{ "a\x7f\x1b[2J\tb\n\xc3\xa9", "a??[2J?b?\xc3\xa9" },
		{ "\xc2\x9b"
		  "31mred",
		  "?31mred" }, /* CSI as UTF-8 */
		{ "\xc2\x9d"
		  "0;title\xc2\x9c",
		  "?0;title?" }, /* OSC, ST */
		{ "\x9b"
		  "31m",
		  "?31m" },                             /* as a byte */
		{ "\xc0\xaf\xe0\x80\xaf\xf5", "????" }, /* too long, too large */
		{ "\xed\xa0\x80", "?" },                /* a surrogate */
		{ "\xe2\x82", "??" },
		{ "\xe2\x82\xac\xf0\x9f\x98\x80", "\xe2\x82\xac\xf0\x9f\x98\x80" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *text = strdup(texts[i].text);

		assert_non_null(text);
		printable_make(text);
		if (strcmp(text, texts[i].shown) != 0)
			fail_msg("text %zu: \"%s\"", i, text);
		free(text);
	}
}

static void a_copy_has_whole_characters_as_far_as_there_is_room(void **state)
{
	static const char text[] =
	    "a\xe2\x82\xac\tb\x01"
	    "c";
	char to[16];

	(void)state;
	assert_int_equal(printable_copy(to, sizeof(to), text, SIZE_MAX, '.', "\t"), 8);
	assert_string_equal(to, "a\xe2\x82\xac\tb.c");
	assert_int_equal(printable_copy(to, sizeof(to), text, 5, '.', ""), 5);
	assert_string_equal(to, "a\xe2\x82\xac.");
	for (size_t room = 1; room <= 9; room++) {
		size_t length = printable_copy(to, room, text, SIZE_MAX, '.', "\t");

		assert_int_equal(length, room < 2 ? 0 : room < 5 ? 1 : room - 1);
		assert_int_equal(to[length], 0);
	}
}

static void a_piece_ends_with_a_whole_character(void **state)
{
	static const struct {
		const char *text;
		size_t whole;
	} texts[] = {
		{ "", 0 },
		{ "ab", 2 },
		{ "a\xc3", 1 },
		{ "a\xc3\xa9", 3 },
		{ "a\xe2\x82", 1 },
		{ "\xf0\x9f\x98", 0 },
		{ "\xf0\x9f\x98\x80", 4 },
		{ "a\xff", 2 },            /* a byte that begins no character */
		{ "\x80\x80\x80\x80", 4 }, /* nor its end */
		{ "\xc3\x80\x80", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(printable_whole(texts[i].text, strlen(texts[i].text)),
		                 texts[i].whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_character_is_shown_but_controls_and_those_that_are_none),
		cmocka_unit_test(bytes_by_themselves_are_shown_where_they_are_ascii),
		cmocka_unit_test(controls_become_one_character_each),
		cmocka_unit_test(a_piece_ends_with_a_whole_character),
		cmocka_unit_test(a_copy_has_whole_characters_as_far_as_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
