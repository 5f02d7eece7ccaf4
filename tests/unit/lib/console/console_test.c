/* SPDX-License-Identifier: MIT */
/* The console's stream, its sinks and the trace region's copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/console/console.h"

#define REGION 65536U

static char shown[2 * REGION];
static size_t length;
static struct tr_console *region;

static void screen(const char *text, size_t size)
{
	assert_true(length + size < sizeof(shown));
	memcpy(shown + length, text, size);
	length += size;
	shown[length] = 0;
}

static int begin(void **state)
{
	(void)state;
	region = calloc(1, sizeof(*region) + REGION);
	assert_non_null(region);
	region->size = UINT32_MAX; /* the host may have overwritten the size */
	console_set_region(region, REGION);
	assert_int_equal(console_add_sink(screen), 0);
	length = 0;
	shown[0] = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	console_set_region(NULL, 0);
	free(region);
	return 0;
}

static void assert_region_ends_with(const char *text)
{
	uint64_t at = region->head - strlen(text);

	for (; *text; text++)
		assert_int_equal(region->text[at++ % REGION], *text);
}

static void held_text_is_in_the_region_at_once_and_on_the_sinks_in_the_end(void **state)
{
	(void)state;
	console_printf("before\n");
	console_hold();
	console_printf("while %d\n", 1);
	console_printf("while %d\n", 2);
	assert_string_equal(shown, "before\n");
	assert_region_ends_with("before\nwhile 1\nwhile 2\n");
	console_release();
	assert_string_equal(shown, "before\nwhile 1\nwhile 2\n");
	console_printf("after\n");
	console_release();
	assert_string_equal(shown, "before\nwhile 1\nwhile 2\nafter\n");
}

static void of_much_text_the_end_is_shown_with_a_note(void **state)
{
	static const char cut[] = "[earlier text is in the trace region]\n";
	const size_t note = sizeof(cut) - 1;

	(void)state;
	for (size_t more = 0; more < 2; more++) {
		length = 0;
		console_hold();
		for (size_t i = 0; i < CONSOLE_EARLY + more; i++)
			console_write(&"0123456789"[i % 10], 1);
		console_release();
		assert_int_equal(length, CONSOLE_EARLY + more * note);
		assert_memory_equal(shown, cut, more * note);
		for (size_t i = more; i < CONSOLE_EARLY + more; i++)
			assert_int_equal(shown[more * note + i - more], "0123456789"[i % 10]);
	}
}

static void text_that_is_held_twice_waits_for_the_second_release_but_not_in_a_panic(void **state)
{
	(void)state;
	console_hold();
	console_printf("one\n");
	console_hold();
	console_printf("two\n");
	console_release();
	assert_string_equal(shown, "");
	console_release();
	assert_string_equal(shown, "one\ntwo\n");
	console_hold();
	console_hold();
	console_printf("three\n");
	console_release_all();
	assert_string_equal(shown, "one\ntwo\nthree\n");
	console_printf("four\n");
	console_release_all();
	assert_string_equal(shown, "one\ntwo\nthree\nfour\n");
}

static void text_written_aside_is_only_on_the_sinks(void **state)
{
	char text[32];
	uint64_t at;

	(void)state;
	console_read(&at, NULL, 0);
	console_printf("ours\n");
	console_hold();
	console_write_aside("theirs\n", 7);
	console_printf("ours again\n");
	assert_string_equal(shown, "ours\n");
	console_release();
	assert_string_equal(shown, "ours\ntheirs\nours again\n");
	assert_region_ends_with("ours\nours again\n");
	/* the text of a line contains it, too */
	assert_int_equal(console_read(&at, text, sizeof(text)), 23);
	assert_memory_equal(text, "ours\ntheirs\nours again\n", 23);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    held_text_is_in_the_region_at_once_and_on_the_sinks_in_the_end, begin, end),
		cmocka_unit_test_setup_teardown(
		    text_that_is_held_twice_waits_for_the_second_release_but_not_in_a_panic, begin,
		    end),
		cmocka_unit_test_setup_teardown(of_much_text_the_end_is_shown_with_a_note, begin,
		                                end),
		cmocka_unit_test_setup_teardown(text_written_aside_is_only_on_the_sinks, begin,
		                                end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
