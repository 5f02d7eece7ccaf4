/* SPDX-License-Identifier: MIT */
/* What a terminal would obey, and nothing else, is shown as '?'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "writer/util/printable.h"

static void all_of_ascii_is_as_it_is_but_for_control_characters(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 256; c++) {
		bool is_control = c < 0x20 || c == 0x7f;

		assert_int_equal(printable_is_control((char)c), is_control);
		assert_int_equal(printable_char((char)c), is_control ? '?' : (char)c);
	}
}

static void a_text_keeps_its_length(void **state)
{
	char text[] = "a\x7f\x1b[2J\tb\n\xc3\xa9";

	(void)state;
	printable_make(text);
	assert_string_equal(text, "a??[2J?b?\xc3\xa9");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_ascii_is_as_it_is_but_for_control_characters),
		cmocka_unit_test(a_text_keeps_its_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
