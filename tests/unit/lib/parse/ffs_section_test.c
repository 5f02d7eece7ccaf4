/* SPDX-License-Identifier: MIT */
/* Names of files in firmware volumes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/parse/ffs_section.h"

static void the_ui_section_names_the_module(void **state)
{
	static const uint16_t fat[] = { 'F', 'a', 't', 0, '!' };
	char name[8];

	(void)state;
	assert_int_equal(ffs_ui_text(fat, sizeof(fat), name, sizeof(name)), 3);
	assert_string_equal(name, "Fat");
	assert_int_equal(ffs_ui_text(fat, sizeof(fat), name, 3), 2);
	assert_string_equal(name, "Fa");
	assert_int_equal(ffs_ui_text(fat, 4, name, sizeof(name)), 2); /* without its end */
	assert_string_equal(name, "Fa");
}

static void a_sections_text_may_be_any_bytes(void **state)
{
	static const uint16_t odd[] = { 'a', 0x20ac, '"', 0x1b, 0x7f, '~', 0x141 };
	char name[16];

	(void)state;
	assert_int_equal(ffs_ui_text(odd, sizeof(odd), name, sizeof(name)), 7);
	assert_string_equal(name, "a????~?");
	/* half a character does not count */
	assert_int_equal(ffs_ui_text(odd, 3, name, sizeof(name)), 1);
	assert_int_equal(ffs_ui_text(odd, 0, name, sizeof(name)), 0);
	assert_string_equal(name, "");
	assert_int_equal(ffs_ui_text(odd, sizeof(odd), name, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ui_section_names_the_module),
		cmocka_unit_test(a_sections_text_may_be_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
